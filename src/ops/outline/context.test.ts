import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, expect, test } from 'vitest'
import type { Static } from '../../core/schema.ts'
import { Library } from '../../disk/library.ts'
import type { Context } from '../../history/context.ts'
import { linkedAgents } from '../../history/family.ts'
import { type Log, log } from '../../testing/index.ts'
import { read } from '../read.ts'
import { context } from './context.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-context-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function written(made: Log): Context {
  const root = mkdtempSync(join(folder, 'root-'))
  made.write(root)
  const library = new Library({ roots: [root] })
  const rest = { cwd: folder, home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  return { library, now: new Date('2026-03-08T12:00:00Z'), ...rest }
}

const filledOf = async (opening: Context, input: object = {}) => {
  const result: Static<typeof context.result> = await context.run(opening, { session: 'last', ...input })
  expect([...Value.Errors(context.result, result)]).toEqual([])
  return result
}

const usage = {
  inputTokens: 10,
  cacheReadTokens: 1000,
  cacheWrite5mTokens: 200,
  cacheWrite1hTokens: 30,
  outputTokens: 7,
}

test('has a point for each response, however many lines it has', async () => {
  const opening = written(
    log({ attachments: false })
      .user('one')
      .assistant('First.', { thinking: 'Hm.', streamed: true, usage, stopReason: 'end_turn' })
      .user('two')
      .assistant('Second.', { usage: { ...usage, cacheReadTokens: 5000 }, stopReason: 'end_turn' }),
  )
  const { points } = await filledOf(opening)
  expect(points.map(({ turn, row, windowTokens }) => [turn, row, windowTokens])).toEqual([
    [1, 1, 1240],
    [2, 4, 5240],
  ])
  const { windowTokens: _, ...tokens } = { ...usage, cacheWriteTokens: 230, windowTokens: 0 }
  const { cacheWrite5mTokens: __, cacheWrite1hTokens: ___, ...shown } = tokens
  expect(points[0]).toMatchObject(shown)
  const { rows } = await read.run(opening, { session: 'last' })
  for (const { row, uuid } of points) expect(rows[row]?.uuid).toBe(uuid)
})

test('tells where it was compacted', async () => {
  const made = log().user('one').assistant('First.').compact({ trigger: 'auto', preTokens: 150_000, postTokens: 6000 })
  const { compactions, total } = await filledOf(written(made.user('two').assistant('Second.')))
  expect(compactions).toMatchObject([{ turn: 1, preTokens: 150_000, postTokens: 6000, trigger: 'auto' }])
  expect(compactions[0]?.row).toBeLessThan(total)
})

test('counts the bytes of each kind of content, turn by turn and step by step', async () => {
  const made = log({ attachments: false })
    .user('Zoë?')
    .assistant('Yes.', { thinking: 'Hmm' })
    .tool('Bash', { command: 'ls', description: 'List' }, { output: 'a.txt' })
    .user('two')
    .raw((at) =>
      at.row({
        type: 'attachment',
        attachment: { type: 'file', filename: '/p/a.ts', content: 'not this' },
        rendered: [{ content: 'four' }],
      }),
    )
    .raw((at) => at.row({ type: 'attachment', attachment: { type: 'prompt_snapshot', content: 'nor this' } }))
    .assistant('Done.')
  const { sizes, sources } = await filledOf(written(made))
  const told = sizes.map(({ row: _, uuid: __, ...one }) =>
    Object.fromEntries(Object.entries(one).filter(([, value]) => value !== 0)),
  )
  expect(told).toEqual([
    { turn: 1, isStep: false, text: 'Zoë?', prompts: 5, thinking: 3 },
    { turn: 1, isStep: true, text: 'Yes.', answers: 4, toolInput: 6, toolResults: 5 },
    { turn: 2, isStep: false, text: 'two', prompts: 3, answers: 5, files: 4 },
  ])
  expect(sources.map(({ kind, name, bytes, times }) => [kind, name, bytes, times])).toEqual([
    ['answers', null, 9, 2],
    ['prompts', null, 8, 2],
    ['toolInput', 'Bash', 6, 1],
    ['toolResults', 'Bash · ls', 5, 1],
    ['files', '/p/a.ts', 4, 1],
    ['thinking', null, 3, 1],
  ])
})

test('is told of a branch and of an agent apart', async () => {
  const opening = written(
    log({ attachments: false })
      .user('one')
      .assistant('First.', { usage, stopReason: 'end_turn' })
      .user('two')
      .assistant('Second.', { usage, stopReason: 'end_turn' })
      .rewind({ to: 2 })
      .user('three')
      .subagent({ description: 'look', prompt: 'Look.', result: 'Nothing.' }),
  )
  const { sizes } = await filledOf(opening)
  expect(sizes.filter(({ isStep }) => !isStep).map(({ text }) => text)).toEqual(['one', 'three'])
  const id = linkedAgents(opening.library, opening.library.sessions()[0] as never)[0]?.id
  const agent = await filledOf(opening, { session: `agent-${id}` })
  expect(agent).toMatchObject({ agent: id, sizes: [{ text: 'Look.', prompts: 5, answers: 8 }] })
  expect(agent.points).toHaveLength(1)
})

const bare = { cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 }

test('the parts of a window make up what was measured; the first tells what the log does not hold', async () => {
  const opening = written(
    log({ attachments: false })
      .user('x'.repeat(2900))
      .assistant('y'.repeat(290), { usage: { ...bare, inputTokens: 11_000 }, stopReason: 'end_turn' })
      .user('z'.repeat(29_000))
      .assistant('Done.', { usage: { ...bare, inputTokens: 21_100 }, stopReason: 'end_turn' }),
  )
  const { points, bytesPerToken } = await filledOf(opening)
  expect(bytesPerToken).toBe(2.9)
  expect(points.map(({ held }) => [held.system, held.prompts, held.answers])).toEqual([
    [10_000, 1000, 0],
    [10_000, 11_000, 100],
  ])
  for (const { held, windowTokens } of points) {
    expect(Object.values(held).reduce((sum, tokens) => sum + tokens, 0)).toBe(windowTokens)
  }
})

test('tells where the cache was lost, what that cost and why', async () => {
  const model = 'claude-opus-4-5-20251101'
  const answer = (text: string, tokens: object) => [text, { model, usage: tokens, stopReason: 'end_turn' }] as const
  const opening = written(
    log({ attachments: false })
      .user('one')
      .assistant(...answer('First.', { inputTokens: 5, cacheReadTokens: 0, cacheWrite5mTokens: 100_000 }))
      .user('two')
      .assistant(...answer('Second.', { inputTokens: 5, cacheReadTokens: 100_000, cacheWrite5mTokens: 500 }))
      .wait(7 * 60_000)
      .user('three')
      .assistant(...answer('Third.', { inputTokens: 5, cacheReadTokens: 0, cacheWrite5mTokens: 101_000 })),
  )
  const { lostCaches } = await filledOf(opening)
  // Opus 4.5: 6.25 dollars for a million tokens written to the cache, 0.5 for as many read from it.
  expect(lostCaches).toMatchObject([{ turn: 3, lostTokens: 100_500, why: 'minutes' }])
  expect(lostCaches[0]?.costUsd).toBeCloseTo((100_500 * (6.25 - 0.5)) / 1e6, 6)
})

test("of the client's own request only sizes are told", async () => {
  const shape = { system: [{ type: 'text', text: 'You are a secret.' }], tools: [{ name: 'Read' }, { name: 'Bash' }] }
  const made = log({ attachments: false })
    .raw(() => ({ type: 'api-request-shape', shapeHash: 'h', timestamp: '2026-03-02T09:00:00.000Z', shape }))
    .user('one')
    .assistant('First.')
  const result = await filledOf(written(made))
  expect(result.request).toEqual({
    systemBytes: JSON.stringify(shape.system).length,
    toolsBytes: JSON.stringify(shape.tools).length,
    tools: 2,
  })
  expect(JSON.stringify(result)).not.toContain('secret')
})
