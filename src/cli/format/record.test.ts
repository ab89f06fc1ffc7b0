import { expect, test } from 'vitest'
import { place, viewOf } from '../../../tests/support/format-sample-parts.ts'
import { formatRecord } from './record.ts'

const raw = { type: 'user', message: { content: 'a\u202eb\u007f\u001b[2J 👩‍💻' } }
const record = { ...place, type: 'user', raw, text: '', withheld: false }

test('is the same JSON where nobody looks on, with nothing in it that a terminal would obey', () => {
  const lines = formatRecord(record, viewOf({ width: Number.POSITIVE_INFINITY }))
  expect(lines[0]).toBe('{')
  expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(JSON.parse(lines.join('\n'))).toEqual(raw)
})

test('says where it stands to one who looks on', () => {
  expect(formatRecord(record, viewOf())[0]).toBe('~/.claude/projects/-code-api/log.jsonl:12 @3455')
})

test('shows the text of what is no record, and says what is withheld', () => {
  const torn = { ...record, raw: null, text: '{"type":"us\u001b[2J' }
  expect(formatRecord(torn, viewOf()).slice(1)).toEqual(['{"type":"us'])
  expect(formatRecord({ ...torn, text: '', withheld: true }, viewOf())).toEqual([
    "It holds Claude Code's own system prompt.",
    'Add --raw to see it anyway.',
  ])
})

test('shows a value that is nested too deep as it was written', () => {
  let deep: object = {}
  for (let i = 0; i < 100_000; i++) deep = { deep }
  const lines = formatRecord({ ...record, raw: { deep }, text: '{"deep":…' }, viewOf())
  expect(lines.slice(1)).toEqual(['{"deep":…'])
})
