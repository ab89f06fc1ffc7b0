import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import type { Static } from '../../core/schema.ts'
import { Library } from '../../disk/library.ts'
import { type Log, log } from '../../testing/index.ts'
import { timeline } from './timeline.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-timeline-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function timedOf(made: Log): Promise<Static<typeof timeline.result>> {
  const root = mkdtempSync(join(folder, 'root-'))
  made.write(root)
  const rest = { cwd: folder, home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  const context = { library: new Library({ roots: [root] }), now: new Date('2026-03-08T12:00:00Z'), ...rest }
  const result = await timeline.run(context, { session: 'last' })
  expect([...Value.Errors(timeline.result, result)]).toEqual([])
  return result
}

/** Rows at seconds of our own choosing. */
function timed(rows: readonly (readonly [second: number, row: JsonObject])[]): Log {
  const made = log({ attachments: false })
  for (const [second, row] of rows) {
    made.raw((at) => ({ ...at.row(row), timestamp: new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString() }))
  }
  return made
}

const prompt = (text: string): JsonObject => ({ type: 'user', message: { role: 'user', content: text } })
const said = (content: readonly JsonObject[], id: string): JsonObject => ({
  type: 'assistant',
  message: { id, type: 'message', role: 'assistant', model: 'claude-opus-4-6', content, usage: { input_tokens: 1 } },
})
const call = (id: string, name: string, input: JsonObject): JsonObject => ({ type: 'tool_use', id, name, input })
const result = (id: string, isError = false): JsonObject => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x', is_error: isError }] },
})

describe('the time of a session', async () => {
  const made = timed([
    [0, prompt('one')],
    [10, said([call('a', 'Bash', { command: 'npm test' }), call('b', 'Read', { file_path: '/a' })], 'm1')],
    [15, result('b')],
    [30, result('a', true)],
    [40, said([call('q', 'AskUserQuestion', { questions: [] })], 'm2')],
    [100, result('q')],
    [110, said([{ type: 'text', text: 'Done.' }], 'm3')],
    [170, prompt('two')],
    [175, said([{ type: 'text', text: 'Yes.' }], 'm4')],
  ])
  const time = await timedOf(made)

  test('tools take from call to result, questions wait, the rest is the API', () => {
    expect(
      time.turns.map(({ turn, text, toolMs, askMs, apiMs, waitMs }) => [turn, text, toolMs, askMs, apiMs, waitMs]),
    ).toEqual([
      [1, 'one', 20_000, 60_000, 30_000, 60_000],
      [2, 'two', 0, 0, 5000, null],
    ])
    expect([time.toolMs, time.apiMs, time.waitMs]).toEqual([20_000, 35_000, 120_000])
  })

  test('every call has its place, its end and whether it failed', () => {
    const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString()
    expect(time.calls).toMatchObject([
      { id: 'a', text: 'Bash · npm test', row: 1, turn: 1, startedAt: at(10), endedAt: at(30), failed: true },
      { id: 'b', text: 'Read · /a', startedAt: at(10), endedAt: at(15), failed: false, asks: false },
      { id: 'q', asks: true, startedAt: at(40), endedAt: at(100) },
    ])
  })
})

test('agents stand below the call that started them, nested ones below their agent', async () => {
  const made = log({ attachments: false })
    .user('Go.')
    .subagent({
      type: 'Explore',
      description: 'Look',
      prompt: 'Look.',
      steps: (agent) => agent.subagent({ type: 'Deep', description: 'Deeper', prompt: 'Deeper.', result: 'No.' }),
      result: 'Yes.',
    })
  const { tasks, calls } = await timedOf(made)
  const [outer, inner] = ['Explore: Look', 'Deep: Deeper'].map((text) => tasks.find((one) => one.text === text))
  expect(outer).toMatchObject({ kind: 'agent', parent: null, row: calls[0]?.row, uuid: calls[0]?.uuid })
  expect(inner).toMatchObject({ kind: 'agent', parent: outer?.id, row: calls[0]?.row })
})

test('a command in the background lasts until word of it comes', async () => {
  const note =
    '<task-notification><task-id>b1</task-id><tool-use-id>s</tool-use-id><status>failed</status><summary>It fell.</summary></task-notification>'
  const { tasks } = await timedOf(
    timed([
      [0, prompt('one')],
      [5, said([call('s', 'Bash', { command: 'npm start', run_in_background: true })], 'm1')],
      [6, result('s')],
      [8, said([{ type: 'text', text: 'It runs.' }], 'm2')],
      [90, { ...prompt(note), origin: { kind: 'task-notification' }, promptSource: 'system' }],
      [95, said([{ type: 'text', text: 'It fell.' }], 'm3')],
    ]),
  )
  const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString()
  expect(tasks).toMatchObject([
    { kind: 'task', id: 's', text: 'Bash · npm start', startedAt: at(5), endedAt: at(90), failed: true },
  ])
})
