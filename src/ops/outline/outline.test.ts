import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, describe, expect, test } from 'vitest'
import type { Static } from '../../core/schema.ts'
import { Library } from '../../disk/library.ts'
import type { Context } from '../../history/context.ts'
import { type Log, log } from '../../testing/index.ts'
import { read } from '../read.ts'
import { show } from '../show.ts'
import { outline } from './outline.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-outline-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function written(made: Log): Context {
  const root = mkdtempSync(join(folder, 'root-'))
  made.write(root)
  const library = new Library({ roots: [root] })
  const rest = { cwd: folder, home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  return { library, now: new Date('2026-03-08T12:00:00Z'), ...rest }
}

const outlineOf = (context: Context, input: Partial<Static<typeof outline.input>> = {}) =>
  outline.run(context, { session: 'last', ...input }) as Promise<Static<typeof outline.result>>

const made = log({ attachments: false })
  .user('one')
  .assistant('Looking.')
  .tool('Bash', { command: 'false' }, { exitCode: 1, output: 'no' })
  .tool('Bash', { command: 'true' }, { output: 'yes' })
  .subagent({ type: 'Explore', description: 'look around', prompt: 'Look.', result: 'Nothing.' })
  .interrupt()
  .bash('ls', 'a.txt')
  .command('/review', { args: 'all', expansion: 'Review it.' })
  .plan('# Rate limits\n\nFirst the window.')
  .apiError('overloaded', { text: 'API Error: Overloaded' })
  .compact({ trigger: 'auto', preTokens: 150_000, postTokens: 6000 })
  .user('three')
  .assistant('Thrice.')

describe('an outline', async () => {
  const context = written(made)
  const result = await outlineOf(context)

  test('has the turns with their rows', async () => {
    expect(result.turns.map(({ number, prompt }) => [number, prompt?.kind, prompt?.text])).toEqual([
      [1, 'prompt', 'one'],
      [2, 'command', '/review all'],
      [3, 'prompt', 'three'],
    ])
    expect(result.turns.map(({ toolCalls, errors }) => [toolCalls, errors])).toEqual([
      [3, 1],
      [1, 1],
      [0, 0],
    ])
    let next = 0
    for (const { row, rows } of result.turns) {
      expect(row).toBe(next)
      next += rows
    }
    expect(next).toBe(result.total)
    expect([...Value.Errors(outline.result, result)]).toEqual([])
  })

  test('marks what happened, each on the row that shows it', async () => {
    expect(result.marks.map(({ kind, text }) => [kind, text])).toEqual([
      ['prompt', 'one'],
      ['step', 'Looking.'],
      ['error', 'Bash · false'],
      ['agent', 'Explore: look around'],
      ['interrupt', '[Request interrupted by user]'],
      ['prompt', '/review all'],
      ['plan', 'Rate limits'],
      ['error', 'API Error: Overloaded'],
      ['compaction', 'auto, 150000 → 6000 tokens'],
      ['prompt', 'three'],
    ])
    const { rows } = await read.run(context, { session: 'last', count: 500 })
    for (const { row, uuid } of result.marks) expect(rows[row]?.uuid).toBe(uuid)
    const failed = result.marks.find(({ kind }) => kind === 'error')
    expect(rows[failed?.row ?? -1]?.items).toMatchObject([{ kind: 'tool', input: { command: 'false' }, isError: true }])
  })

  test('costs and lasts what show says', async () => {
    const { turns } = await show.run(context, { session: 'last' })
    const facts = (all: readonly { costUsd: unknown; startedAt: unknown; durationMs: unknown }[]) =>
      all.map(({ costUsd, startedAt, durationMs }) => ({ costUsd, startedAt, durationMs }))
    expect(facts(result.turns)).toEqual(facts(turns))
  })

  test('lists the agents, and is made for each of them too', async () => {
    const [agent] = result.agents
    expect(agent).toMatchObject({ type: 'Explore', description: 'look around' })
    const inner = await outlineOf(context, { session: `agent-${agent?.id}` })
    expect(inner.agent?.id).toBe(agent?.id)
    expect(inner.turns.map(({ prompt }) => prompt?.text)).toEqual(['Look.'])
    expect(inner.marks.map(({ kind }) => kind)).toEqual(['prompt'])
  })
})

test('a bash input that made the model work is told as it was typed', async () => {
  const { turns } = await outlineOf(written(log({ attachments: false }).bash('ls -l', 'a.txt').assistant('I see.')))
  expect(turns.map(({ prompt }) => prompt)).toMatchObject([{ kind: 'bash', text: 'ls -l' }])
})

test('is made for the branch that was named', async () => {
  const context = written(
    log().user('one').assistant('1').user('blue').assistant('2').rewind({ to: 2 }).user('green').assistant('3'),
  )
  const { branches, branch } = await outlineOf(context)
  expect(branches.map(({ active, title }) => [active, title])).toEqual([
    [false, 'blue'],
    [true, 'green'],
  ])
  expect(branches[1]?.leaf).toBe(branch)
  const other = await outlineOf(context, { branch: branches[0]?.leaf ?? '' })
  expect(other.turns.map(({ prompt }) => prompt?.text)).toEqual(['one', 'blue'])
  await expect(outlineOf(context, { branch: 'zzz' })).rejects.toThrow('No branch ends at "zzz".')
})

describe('the steps of one prompt with many calls', async () => {
  const busy = log({ attachments: false, cwd: '/home/ana/api' }).user('Make it work.')
  busy.assistant('First the tests.').tool('Bash', { command: 'npm test' }, { output: 'FAIL', exitCode: 1 })
  for (let i = 0; i < 30; i++) busy.readFile(`src/part-${i}.ts`, 'x\n')
  busy.assistant('Now I mend it.').edit('src/part-1.ts', { before: 'x\n', after: 'y\n' })
  busy.tool('Bash', { command: 'npm test' }, { output: 'ok' })
  busy.tool('Bash', { command: 'git commit -am "Mend it"' }, { output: '[main 1a2b3c4] Mend it\n 1 file changed' })
  busy.tool('Bash', { command: 'git commit -am "Again"' }, { output: 'nothing to commit, working tree clean' })
  busy.assistant('Done.')
  const { marks, turns } = await outlineOf(written(busy))

  test('are named by what was said, and what came of them by command', () => {
    expect(turns).toHaveLength(1)
    expect(marks.map(({ kind, text, calls }) => [kind, text, calls])).toEqual([
      ['prompt', 'Make it work.', null],
      ['step', 'First the tests.', 31],
      ['error', 'Bash · npm test', null],
      ['step', 'Now I mend it.', 4],
      ['test', 'Bash · npm test', null],
      ['commit', 'Mend it', null],
    ])
  })
})
