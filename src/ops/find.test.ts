import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, describe, expect, test } from 'vitest'
import type { Static } from '../core/schema.ts'
import { Library } from '../disk/library.ts'
import type { Context } from '../history/context.ts'
import { linkedAgents } from '../history/family.ts'
import { type Log, log } from '../testing/index.ts'
import { find } from './find.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-find-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function written(made: Log): Context {
  const root = mkdtempSync(join(folder, 'root-'))
  made.write(root)
  const library = new Library({ roots: [root] })
  const rest = { cwd: folder, home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  return { library, now: new Date('2026-03-08T12:00:00Z'), ...rest }
}

const found = (context: Context, query: string, input: object = {}) =>
  find.run(context, { session: 'last', query, ...input }) as Promise<Static<typeof find.result>>

describe('in everything that is shown', async () => {
  const context = written(
    log({ attachments: false })
      .user('a needle in the prompt')
      .assistant('NEEDLE said', { thinking: 'needle thought', streamed: true })
      .tool('Grep', { pattern: 'x', where: { deep: ['a needle asked for'] } }, { output: 'line\nneedle answered' })
      .command('/cost', { args: 'needle', output: 'needle printed' })
      .bash('echo needle', 'needle echoed')
      .compact({ summary: 'needle summed up' })
      .user('nothing here')
      .assistant('nor here'),
  )
  const result = await found(context, 'needle')

  test('each row once, with what it was found in', async () => {
    expect(result.matches.map(({ kind, snippet, count }) => [kind, snippet.split('\n').at(-1), count])).toEqual([
      ['prompt', 'a needle in the prompt', 1],
      ['thinking', 'needle thought', 1],
      ['text', 'NEEDLE said', 1],
      ['tool', 'a needle asked for', 2],
      ['command', 'needle', 2],
      ['bash', 'echo needle', 2],
      ['compaction', 'needle summed up', 1],
    ])
    expect(result).toMatchObject({ query: 'needle', total: 7, occurrences: 10 })
    expect([...Value.Errors(find.result, result)]).toEqual([])
  })

  test('and says where in the snippet', async () => {
    for (const { snippet, matches } of result.matches) {
      expect(matches.map(([from, to]) => snippet.slice(from, to).toLowerCase())).toEqual(['needle'])
    }
  })

  test('and nowhere else', async () => {
    expect(await found(context, 'toolu_')).toMatchObject({ total: 0, matches: [] })
    expect(await found(context, 'local-command-stdout')).toMatchObject({ total: 0 })
  })
})

test('cuts a snippet out of a long text, in which all marks are true', async () => {
  const text = `${'é '.repeat(5000)}Über den Ü\u0308berfluß${' wort'.repeat(5000)} uber`
  const { matches, occurrences } = await found(written(log({ attachments: false }).user(text).assistant('Ja.')), 'UBER')
  expect(occurrences).toBe(3)
  const [match] = matches
  expect(match?.snippet.length).toBeLessThanOrEqual(160)
  expect(match?.matches.map(([from, to]) => match.snippet.slice(from, to))).toEqual(['Über', 'Ü\u0308ber'])
})

test('lists a thousand rows and counts all', async () => {
  const many = log({ attachments: false })
  for (let i = 0; i < 1005; i++) many.assistant(`needle ${i}`, { stopReason: 'end_turn' })
  const result = await found(written(many), 'needle')
  expect(result.matches).toHaveLength(1000)
  expect(result).toMatchObject({ total: 1005, occurrences: 1005 })
})

test('finds on the branch that was named, and in an agent', async () => {
  const context = written(
    log()
      .user('one')
      .assistant('first')
      .user('needle')
      .assistant('second')
      .rewind({ to: 2 })
      .user('other')
      .subagent({ description: 'look', prompt: 'Look for the needle.', result: 'No needle.' }),
  )
  expect((await found(context, 'needle', { branch: abandoned(context) })).matches.map(({ row }) => row)).toEqual([2])
  const id = linkedAgents(context.library, context.library.sessions()[0] as never)[0]?.id
  expect(await found(context, 'needle', { session: `agent-${id}` })).toMatchObject({ agent: id, total: 2 })
})

function abandoned(context: Context): string {
  const [files] = context.library.sessions()
  const nodes = (files?.log && context.library.facts(files.log)?.facts.nodes) ?? []
  for (const node of nodes) {
    if (node.preview === 'needle') return [...nodes].find((one) => one.parent === node.uuid)?.uuid ?? ''
  }
  return ''
}
