import { expect, test } from 'vitest'
import { teammateMessages } from './teammate-message.ts'

test('each message is told with who wrote it', () => {
  const text =
    '<teammate-message teammate_id="ben" color="blue">\nThe build is red.\n</teammate-message>\n<channel source="ci">Done</channel>'
  expect(teammateMessages(text)).toEqual([
    { from: 'ben', text: 'The build is red.' },
    { from: 'ci', text: 'Done' },
  ])
})

test('one without a name, or without an end, is still one; other texts are none', () => {
  expect(teammateMessages('<teammate-message>Hello')).toEqual([{ from: 'teammate', text: 'Hello' }])
  expect(teammateMessages('Look at <teammates>')).toEqual([])
})
