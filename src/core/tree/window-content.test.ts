import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import type { RowKind } from '../log/row-kind.ts'
import { contentOf } from './window-content.ts'

const told = (kind: RowKind, raw: JsonObject) =>
  contentOf(kind, raw, (id) => (id === 't1' ? 'Read · src/a.ts' : null)).map(({ kind: of, name, text }) => [
    of,
    name,
    text,
  ])
const attached = (attachment: JsonObject, more: JsonObject = {}) => told('attachment', { attachment, ...more })

test('of memory each file is told with its scope', () => {
  const files = [
    { path: '/home/ana/.claude/CLAUDE.md', type: 'User', content: 'Be brief.' },
    { path: '/home/ana/api/CLAUDE.md', type: 'Project', content: 'Use tabs.' },
  ]
  expect(attached({ type: 'instructions', files })).toEqual([
    ['memory', '/home/ana/.claude/CLAUDE.md (User)', 'Be brief.'],
    ['memory', '/home/ana/api/CLAUDE.md (Project)', 'Use tabs.'],
  ])
  const nested = { type: 'nested_memory', path: '/p', content: { path: '/p/sub/CLAUDE.md', type: 'Project' } }
  expect(attached(nested, { rendered: [{ content: 'Sub.' }] })).toEqual([
    ['memory', '/p/sub/CLAUDE.md (Project)', 'Sub.'],
  ])
})

test('skills, files and what else the client says are apart', () => {
  expect(attached({ type: 'skill_listing', content: 'pdf: reads PDF' })).toEqual([
    ['skills', 'skill listing', 'pdf: reads PDF'],
  ])
  expect(attached({ type: 'file', filename: '/p/a.ts', content: 'x' })).toEqual([['files', '/p/a.ts', 'x']])
  expect(attached({ type: 'date', date: '2026-03-02' }, { rendered: [{ content: 'Today.' }] })).toEqual([
    ['attachments', 'date', 'Today.'],
  ])
})

test('a result is named by its call', () => {
  const content = [{ type: 'tool_result', tool_use_id: 't1', content: 'abc' }]
  expect(told('tool-result', { message: { content } })).toEqual([['toolResults', 'Read · src/a.ts', 'abc']])
})

test("the client's own prompt, and what it tells the person alone, is nothing", () => {
  expect(attached({ type: 'prompt_snapshot', content: 'You are …' })).toEqual([])
  expect(told('system', { content: 'Update available' })).toEqual([])
})
