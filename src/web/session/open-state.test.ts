import { expect, test } from 'vitest'
import { createOpenState } from './open-state.tsx'

test('what was opened and closed is known again from what the address carries', () => {
  let told = ''
  const state = createOpenState('', (now) => {
    told = now
  })
  state.set('tool:toolu_1', true)
  state.set('thinking:u/0', true)
  state.set('thinking:u/0', false)
  expect(told).toMatch(/^[\w]+\.![\w]+$/)
  const again = createOpenState(told)
  expect([again.get('tool:toolu_1'), again.get('thinking:u/0'), again.get('tool:other')]).toEqual([
    true,
    false,
    undefined,
  ])
})

test('an address carries eighty at most, and those that changed last', () => {
  let told = ''
  const state = createOpenState('', (now) => {
    told = now
  })
  for (let i = 0; i < 200; i++) state.set(`tool:${i}`, true)
  const again = createOpenState(told)
  expect(told.split('.')).toHaveLength(80)
  expect([again.get('tool:199'), again.get('tool:0')]).toEqual([true, undefined])
})

test('what no address of ours carries is passed over', () => {
  expect(createOpenState('..!.<script>').get('tool:1')).toBeUndefined()
})
