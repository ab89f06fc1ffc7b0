import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { readLine } from '../log/record.ts'
import { ActiveTimeFold } from './active-time.ts'
import { rowFacts } from './row-facts.ts'

/** Milliseconds of work in rows that come so many minutes after the first. */
function spentIn(rows: readonly (readonly [minutes: number, row: JsonObject])[]): number {
  const fold = new ActiveTimeFold()
  for (const [minutes, row] of rows) {
    const timestamp = new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString()
    const bytes = new TextEncoder().encode(JSON.stringify({ timestamp, ...row }))
    const [record] = readLine(bytes, { file: '', line: 1, offset: 0, length: bytes.length }).value
    if (record) fold.add(rowFacts(record))
  }
  return fold.time.spentMs
}

const asked = { type: 'user', message: { role: 'user', content: 'Do it.' } }
const said = { type: 'assistant', message: { id: 'm', model: 'x', content: [{ type: 'text', text: 'Done.' }] } }
const called = {
  type: 'assistant',
  message: { id: 'm', model: 'x', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] },
}
const answered = {
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
}
const MINUTE = 60_000

test('time from a prompt to the last row counts, time until the next prompt does not', () => {
  expect(
    spentIn([
      [0, asked],
      [2, said],
      [90, asked],
      [93, said],
    ]),
  ).toBe(5 * MINUTE)
})

test('a gap of more than ten minutes counts only while a call is unanswered', () => {
  expect(
    spentIn([
      [0, asked],
      [1, called],
      [31, answered],
      [32, said],
    ]),
  ).toBe(32 * MINUTE)
  expect(
    spentIn([
      [0, asked],
      [1, said],
      [31, said],
    ]),
  ).toBe(MINUTE)
  expect(
    spentIn([
      [0, asked],
      [1, said],
      [11, said],
    ]),
  ).toBe(11 * MINUTE)
})

test('a call that was left unanswered ends with the next prompt', () => {
  expect(
    spentIn([
      [0, asked],
      [1, called],
      [60, asked],
      [61, said],
      [100, said],
    ]),
  ).toBe(2 * MINUTE)
})

test('times that go back or are none count nothing', () => {
  const timeless = { ...said, timestamp: 'soon' }
  expect(
    spentIn([
      [5, asked],
      [3, said],
      [4, timeless],
      [6, said],
    ]),
  ).toBe(MINUTE)
})
