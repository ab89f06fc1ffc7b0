import { expect, test } from 'vitest'
import type { AgentItem, Branch, Outline } from '../types.ts'
import { treePicture } from './tree-layout.ts'

const turn = (number: number, uuid: string, row: number, startedAt: string): Outline['turns'][number] => ({
  number,
  row,
  rows: 3,
  prompt: { kind: 'prompt', text: uuid, uuid },
  startedAt,
  durationMs: 60_000,
  costUsd: null,
  toolCalls: 1,
  errors: 0,
})
const branch = (leaf: string, active: boolean): Branch => ({
  leaf,
  active,
  from: active ? 'x' : null,
  after: 1,
  prompts: 2,
  title: leaf,
})
const agent = (id: string, more: Partial<AgentItem> = {}): AgentItem => ({
  id,
  session: 's',
  file: '/x.jsonl',
  class: 'task',
  type: 'Explore',
  description: id,
  run: null,
  call: null,
  parentAgent: null,
  linkedBy: { session: 'folder', call: null },
  lines: 1,
  sizeBytes: 1,
  models: [],
  usage: {
    responses: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    webSearches: 0,
  },
  costUsd: null,
  toolUses: 0,
  startedAt: '2026-03-02T09:00:10Z',
  endedAt: null,
  reported: { status: null, durationMs: null, tokens: null, toolUses: null },
  prompt: null,
  result: null,
  failedAt: null,
  ...more,
})

const shared = turn(1, 'why', 0, '2026-03-02T09:00:00Z')
const active = [shared, turn(2, 'fix', 3, '2026-03-02T09:05:00Z')]
const left = [shared, turn(2, 'blue', 3, '2026-03-02T09:02:00Z')]

test('turns that branches share stand once, and each branch has its lane', () => {
  const picture = treePicture(
    's',
    [
      { branch: branch('a', false), outline: { turns: left, marks: [] } },
      { branch: branch('b', true), outline: { turns: active, marks: [] } },
    ],
    [],
  )
  expect(picture.rows.map(({ text, lane, isActive }) => [text, lane, isActive])).toEqual([
    ['why', 0, true],
    ['blue', 1, false],
    ['fix', 0, true],
  ])
  expect(picture.edges).toEqual([
    { from: 0, to: 1, isActive: false },
    { from: 0, to: 2, isActive: true },
  ])
  expect(picture.rows[1]?.link).toEqual({ session: 's', branch: 'a', at: 'blue' })
})

test('agents hang below the turn that started them, their own agents below them', () => {
  const marks = [{ row: 1, kind: 'agent', text: 'Explore: one', uuid: 'm', timestamp: null, calls: null, agent: 'one' }]
  const picture = treePicture(
    's',
    [{ branch: branch('b', true), outline: { turns: active, marks } }],
    [agent('one'), agent('two', { parentAgent: 'one' })],
  )
  expect(picture.rows.map(({ text, depth }) => [text, depth])).toEqual([
    ['why', 0],
    ['Explore: one', 1],
    ['Explore: two', 2],
    ['fix', 0],
  ])
})

test('an agent that no turn started is not lost', () => {
  const picture = treePicture(
    's',
    [{ branch: branch('b', true), outline: { turns: active, marks: [] } }],
    [agent('one')],
  )
  expect(picture.rows.at(-1)?.text).toBe('Explore: one')
})

test('what happened in a turn stands below it, in its order', () => {
  const mark = { timestamp: null, calls: null, agent: null }
  const marks = [
    { ...mark, row: 0, kind: 'prompt', text: 'why', uuid: 'why' },
    { ...mark, row: 1, kind: 'step', text: 'Let me look.', uuid: 's1', calls: 7 },
    { ...mark, row: 2, kind: 'error', text: 'Bash · npm test', uuid: 's2' },
  ]
  const { rows } = treePicture('s', [{ branch: branch('b', true), outline: { turns: active, marks } }], [])
  expect(rows.slice(0, 3).map(({ kind, mark: what, text, toolCalls }) => [kind, what, text, toolCalls])).toEqual([
    ['turn', undefined, 'why', rows[0]?.toolCalls],
    ['step', 'step', 'Let me look.', 7],
    ['step', 'error', 'Bash · npm test', 0],
  ])
  expect(rows[2]?.link).toEqual({ session: 's', branch: undefined, at: 's2' })
})
