import { expect, test } from 'vitest'
import { callOf, itemOf, viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import type { FollowedItem } from '../../history/view/item-shape.ts'
import { formatFollow, formatTail } from './tail.ts'

test('shows the last turns under their session', () => {
  const lines = formatTail(samples.tail, viewOf())
  expect(lines.slice(0, 4)).toEqual([
    'Fix token refresh race',
    'api · main · yesterday 09:00 · 25 min active · expires in 29 d',
    '',
    '2 › fix it, with a test',
  ])
})

test('shows what is written while following', () => {
  const follow = (...items: readonly FollowedItem[]) =>
    formatFollow({ session: null, turns: [], items: [...items] }, viewOf())
  expect(follow(itemOf('prompt', { text: 'and now?' }))).toEqual(['› and now?'])
  expect(
    follow(callOf('Bash', { command: 'npm test' }, { outcome: 'unanswered', result: null, isError: null })),
  ).toEqual(['bash  npm test'])
  expect(follow(itemOf('text', { text: 'Done.', messageId: 'm' }))).toEqual(['Done.'])
  expect(
    follow(itemOf('result', { id: 'toolu_1', isError: false, name: 'Bash', input: { command: 'ls' }, text: '' })),
  ).toEqual([])
  const failed = { id: 'toolu_1', isError: true, name: 'Bash', input: { command: 'npm test' }, text: 'Exit code 1\nno' }
  expect(follow(itemOf('result', failed))).toEqual(['✗ bash npm test failed · Exit code 1'])
  expect(follow(itemOf('result', { ...failed, name: null, input: null, text: '' }))).toEqual(['✗ a call failed'])
})
