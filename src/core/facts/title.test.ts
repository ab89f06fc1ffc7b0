import { describe, expect, test } from 'vitest'
import { type Log, log } from '../../testing/index.ts'
import { readLog } from '../log/log.ts'
import { FactsFold } from './facts.ts'
import { titleOf } from './title.ts'

function factsOf(made: Log) {
  const fold = new FactsFold()
  for (const record of readLog(made.content()).records) fold.add(record)
  return fold.facts()
}
const start = (version = '2.1.325') => log({ version, attachments: false })
const titled = (made: Log, sidecar?: string | null, summary?: string | null) => titleOf(factsOf(made), sidecar, summary)

test('the title is custom, else by the model, else a summary, else the first prompt', () => {
  const made = start().user('first').assistant('a')
  expect(titled(made)).toEqual({ text: 'first', from: 'prompt' })
  expect(titled(made, null, 'summed up')).toEqual({ text: 'summed up', from: 'summary' })
  made.aiTitle('by a model')
  expect(titled(made, null, 'summed up')).toEqual({ text: 'by a model', from: 'ai' })
  expect(titled(made, 'from the sidecar')).toEqual({ text: 'from the sidecar', from: 'custom' })
  made.title('by hand')
  expect(titled(made, 'from the sidecar')).toEqual({ text: 'by hand', from: 'custom' })
})

test('the last title counts', () => {
  expect(titled(start().user('x').title('old').title('new')).text).toBe('new')
  expect(titled(start().user('x').aiTitle('old').aiTitle('new')).text).toBe('new')
})

describe.each(['1.0.65', '2.0.37', '2.1.45', '2.1.112', '2.1.325'])('%s: the first prompt', (version) => {
  test.each<[string, (made: Log) => Log, string | null]>([
    ['is not a built-in command', (l) => l.command('model', { output: 'x' }).user('one').assistant('a'), 'one'],
    [
      'may be a custom command',
      (l) => l.command('review', { args: 'all', expansion: 'Review.' }).assistant('a').user('one'),
      '/review all',
    ],
    ['is not bash mode', (l) => l.bash('ls', 'x').user('one'), 'one'],
    ['is a command where there is nothing else', (l) => l.command('model', { output: 'x' }), '/model'],
    ['is bash input where there is nothing else', (l) => l.bash('ls', 'x'), 'ls'],
  ])('%s', (_, steps, text) => {
    expect(titled(steps(start(version)))).toEqual({ text, from: text === null ? 'none' : 'prompt' })
  })
})

test('2.0.37: the first prompt is not that of a warmup', () => {
  expect(titled(start('2.0.37').warmup().user('one')).text).toBe('one')
})

test('a long prompt is cut', () => {
  expect(titled(start().user('x'.repeat(5000))).text?.length).toBeLessThanOrEqual(200)
})

test('a long prompt is not cut inside a character', () => {
  expect(titled(start().user(`${'x'.repeat(199)}😀 and more`)).text).not.toContain('\ufffd')
})
