import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, expect, test } from 'vitest'
import type { Static } from '../core/schema.ts'
import { Library } from '../disk/library.ts'
import type { Context } from '../history/context.ts'
import { linkedAgents } from '../history/family.ts'
import { type Log, log } from '../testing/index.ts'
import { context } from './context.ts'
import { read } from './read.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-context-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function written(made: Log): Context {
  const root = mkdtempSync(join(folder, 'root-'))
  made.write(root)
  const library = new Library({ roots: [root] })
  const rest = { cwd: folder, home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  return { library, now: new Date('2026-03-08T12:00:00Z'), ...rest }
}

const filledOf = (opening: Context, input: object = {}) => {
  const result = context.run(opening, { session: 'last', ...input }) as Static<typeof context.result>
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
  const { points } = filledOf(opening)
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

test('tells where it was compacted', () => {
  const made = log().user('one').assistant('First.').compact({ trigger: 'auto', preTokens: 150_000, postTokens: 6000 })
  const { compactions, total } = filledOf(written(made.user('two').assistant('Second.')))
  expect(compactions).toMatchObject([{ turn: 1, preTokens: 150_000, postTokens: 6000, trigger: 'auto' }])
  expect(compactions[0]?.row).toBeLessThan(total)
})

test('counts the bytes of each kind of content, turn by turn', () => {
  const made = log({ attachments: false })
    .user('Zoë?')
    .assistant('Yes.', { thinking: 'Hmm' })
    .tool('Bash', { command: 'ls', description: 'List' }, { output: 'a.txt' })
    .user('two')
    .raw((at) =>
      at.row({
        type: 'attachment',
        attachment: { type: 'file', content: 'not this' },
        rendered: [{ content: 'four' }],
      }),
    )
    .raw((at) => at.row({ type: 'attachment', attachment: { type: 'prompt_snapshot', content: 'nor this' } }))
    .assistant('Done.')
  expect(filledOf(written(made)).sizes).toEqual([
    { turn: 1, text: 'Zoë?', prompts: 5, answers: 4, thinking: 3, toolInput: 6, toolResults: 5, attachments: 0 },
    { turn: 2, text: 'two', prompts: 3, answers: 5, thinking: 0, toolInput: 0, toolResults: 0, attachments: 4 },
  ])
})

test('is told of a branch and of an agent apart', () => {
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
  expect(filledOf(opening).sizes.map(({ text }) => text)).toEqual(['one', 'three'])
  const id = linkedAgents(opening.library, opening.library.sessions()[0] as never)[0]?.id
  const agent = filledOf(opening, { session: `agent-${id}` })
  expect(agent).toMatchObject({ agent: id, sizes: [{ text: 'Look.', prompts: 5, answers: 8 }] })
  expect(agent.points).toHaveLength(1)
})
