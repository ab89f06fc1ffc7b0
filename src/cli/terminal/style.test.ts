import { expect, test } from 'vitest'
import { createStyle, shouldColour } from './style.ts'

test('paints with colour and not without', () => {
  expect(createStyle({ colour: true }).bad('no')).toBe('\u001b[31mno\u001b[39m')
  const { colour, ...paints } = createStyle({ colour: false })
  expect(colour).toBe(false)
  for (const paint of Object.values(paints)) expect(paint('as it is\n')).toBe('as it is\n')
})

test('closes a look at the end of each line and opens it again', () => {
  expect(createStyle({ colour: true }).good('a\nb')).toBe('\u001b[32ma\u001b[39m\n\u001b[32mb\u001b[39m')
})

test.each([
  ['a terminal', {}, true, undefined, true],
  ['a pipe', {}, false, undefined, false],
  ['a dumb terminal', { TERM: 'dumb' }, true, undefined, false],
  ['NO_COLOR', { NO_COLOR: '1' }, true, undefined, false],
  ['an empty NO_COLOR', { NO_COLOR: '' }, true, undefined, true],
  ['FORCE_COLOR in a pipe', { FORCE_COLOR: '1' }, false, undefined, true],
  ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, undefined, false],
  ['an empty FORCE_COLOR', { FORCE_COLOR: '' }, false, undefined, false],
  ['FORCE_COLOR with NO_COLOR', { FORCE_COLOR: '1', NO_COLOR: '1' }, false, undefined, true],
  ['--no-color with FORCE_COLOR', { FORCE_COLOR: '1' }, true, false, false],
  ['--color with NO_COLOR', { NO_COLOR: '1' }, false, true, true],
])('decides about colour for %s', (_, env, isTty, flag, expected) => {
  expect(shouldColour(env, isTty, flag)).toBe(expected)
})
