import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Value } from 'typebox/value'
import { afterAll, describe, expect, test } from 'vitest'
import { Failure } from '../core/failure.ts'
import { stringAt } from '../core/json.ts'
import type { Static } from '../core/schema.ts'
import { Library } from '../disk/library.ts'
import type { Context } from '../history/context.ts'
import { type Log, log } from '../testing/index.ts'
import { read } from './read.ts'
import { show } from './show.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-read-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function written(made: Log): Context {
  const root = mkdtempSync(join(folder, 'root-'))
  made.write(root)
  return {
    library: new Library({ roots: [root] }),
    now: new Date('2026-03-08T12:00:00Z'),
    cwd: folder,
    home: folder,
    currentSession: undefined,
    warn: () => {},
    progress: () => {},
  }
}

type Input = Partial<Static<typeof read.input>>
type Page = Static<typeof read.result>
const pageOf = (context: Context, input: Input = {}) =>
  read.run(context, { session: 'last', ...input }) as Promise<Page>
const shownBy = (context: Context, input: object = {}) =>
  show.run(context, { session: 'last', thinking: true, tools: 'full', ...input }) as Promise<Static<typeof show.result>>
/** Items without what `show` does not tell: where the answer to a call stands. */
const withoutAnswers = (items: readonly object[]) => items.map((item) => ({ ...item, answer: undefined }))
/** A row as its kind, its turn, and what it shows. */
const brief = ({ kind, turn, prompt, items }: Page['rows'][number]) =>
  [kind, turn, ...(prompt ? [prompt.text] : []), ...items.map((item) => item.kind)].join(' ')

test('a row of a call that the API ran has its result, and all items are what the schema says', async () => {
  const made = mkdtempSync(join(folder, 'root-'))
  const project = join(made, 'projects', '-code')
  mkdirSync(project, { recursive: true })
  const blocks = [
    { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 's',
      content: [{ type: 'web_search_result', url: 'https://a.example' }],
    },
    { type: 'text', text: 'There.' },
  ]
  const rows = blocks.map((block, at) => ({
    type: 'assistant',
    uuid: `a${at}`,
    parentUuid: at === 0 ? 'p' : `a${at - 1}`,
    timestamp: '2026-03-02T09:00:00.000Z',
    message: { id: 'm', model: 'claude-opus-5', content: [block] },
  }))
  const prompt = { type: 'user', uuid: 'p', parentUuid: null, message: { role: 'user', content: 'find it' } }
  const lines = [prompt, ...rows].map((row) => JSON.stringify(row))
  writeFileSync(join(project, '3f9a1b2c-0000-4000-8000-000000000001.jsonl'), `${lines.join('\n')}\n`)
  const page = await pageOf({ ...written(log().user('x')), library: new Library({ roots: [made] }) })
  expect(page.rows[1]?.items).toMatchObject([{ kind: 'tool', outcome: 'done', result: 'https://a.example' }])
  expect(Value.Check(read.result, page)).toBe(true)
  const all = await pageOf(written(everything('2.1.325')), { count: 500 })
  expect(Value.Check(read.result, all)).toBe(true)
})

/** Something of everything, as a client of that version would write it. */
function everything(version: string): Log {
  return log({ version, seed: version })
    .user('one')
    .assistant('Looking.', { thinking: 'Where is it?' })
    .tool('Bash', { command: 'ls' }, { output: 'a.txt' })
    .parallel([
      { name: 'Read', input: { file_path: '/a.txt' }, output: 'alpha' },
      { name: 'Grep', input: { pattern: 'b' }, output: 'beta', isError: true },
    ])
    .assistant('Found.')
    .command('/cost', { output: 'Total: $1' })
    .bash('git status', 'clean')
    .user('two')
    .subagent({
      description: 'look around',
      prompt: 'Look.',
      steps: (agent) => agent.tool('Glob', { pattern: '*' }, { output: 'b.txt' }),
      result: 'Nothing there.',
    })
    .assistant('Two is done.')
    .rewind({ to: 2 })
    .user('two, but better')
    .assistant('Better.')
    .interrupt()
    .compact({ summary: 'We did two things.', preTokens: 150_000 })
    .user('three')
    .assistant('Thrice.')
}

test('gives the rows that show something, a prompt as a row of its own, a call with its answer', async () => {
  const context = written(
    log({ version: '2.1.112', attachments: false })
      .user('one')
      .assistant('Looking.', { thinking: 'Where?' })
      .parallel([
        { name: 'Read', input: { file_path: '/a' }, output: 'alpha' },
        { name: 'Grep', input: { pattern: 'b' }, output: 'beta' },
      ])
      .assistant('Found.')
      .command('/cost', { output: 'Total: $1' })
      .user('two')
      .assistant('Done.'),
  )
  const page = await pageOf(context)
  expect(page.rows.map(brief)).toEqual([
    'prompt 1 one',
    'response 1 thinking',
    'response 1 text',
    'response 1 tool',
    'response 1 tool',
    'response 1 text',
    'command 1 command',
    'prompt 2 two',
    'response 2 text',
  ])
  expect(page).toMatchObject({ from: 0, total: 9, at: null, agent: null, cwd: '/home/ana/api' })
  expect(page.rows.map(({ row }) => row)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  expect(page.rows[3]?.items).toMatchObject([{ name: 'Read', input: { file_path: '/a' }, result: 'alpha' }])
  expect(page.rows[6]?.items).toMatchObject([{ name: '/cost', output: 'Total: $1' }])
})

test('a prompt that was queued begins a turn, as one that was typed', async () => {
  const context = written(
    log({ attachments: false }).user('one').tool('Bash', { command: 'ls' }).queued('and two').assistant('Both done.'),
  )
  const { rows } = await pageOf(context)
  expect(rows.map(brief)).toEqual(['prompt 1 one', 'response 1 tool', 'queued-prompt 2 and two', 'response 2 text'])
  expect(rows[2]?.prompt?.kind).toBe('queued')
})

test('leaves out what the model thought where that is not wanted, and keeps its row', async () => {
  const context = written(
    log({ attachments: false }).user('one').assistant('Yes.', { thinking: 'Hm.', streamed: true }),
  )
  expect((await pageOf(context, { thinking: false })).rows.map(brief)).toEqual([
    'prompt 1 one',
    'response 1',
    'response 1 text',
  ])
})

test('counts a negative first row from the end, and ends at the last', async () => {
  const context = written(everything('2.1.325'))
  const { total } = await pageOf(context)
  const rowsFrom = async (from: number) => (await pageOf(context, { from, count: 2 })).rows.map(({ row }) => row)
  expect(await rowsFrom(-1)).toEqual([total - 1])
  expect(await rowsFrom(-3)).toEqual([total - 3, total - 2])
  expect(await rowsFrom(-1000)).toEqual([0, 1])
  expect(await pageOf(context, { from: 1000 })).toMatchObject({ from: total, rows: [] })
})

test.each([0, 501, 1.5])('has no page of %s rows', async (count) => {
  await expect(pageOf(written(log().user('x').assistant('y')), { count })).rejects.toThrow(Failure)
})

test('reads an empty session', async () => {
  expect(await pageOf(written(log().title('Nothing yet')), { session: log().sessionId })).toMatchObject({
    total: 0,
    rows: [],
  })
})

describe.each(['1.0.128', '2.0.37', '2.0.77', '2.1.4', '2.1.68', '2.1.200', '2.1.325'])('%s', async (version) => {
  const context = written(everything(version))
  const branches = [undefined, ...(await shownBy(context)).branches.map(({ leaf }) => leaf)]
  const whole = async (input: Input) => {
    const rows: Page['rows'] = []
    let page = await pageOf(context, { ...input, from: 0 })
    for (; page.rows.length > 0; page = await pageOf(context, { ...input, from: rows.length })) rows.push(...page.rows)
    return rows
  }

  test('shows what show shows, in its order, on every branch', async () => {
    expect(branches).toHaveLength(3)
    for (const branch of branches) {
      const named = branch === undefined ? {} : { branch }
      const { turns } = await shownBy(context, named)
      const rows = await whole(named)
      expect(withoutAnswers(rows.flatMap(({ items }) => items))).toEqual(turns.flatMap(({ items }) => [...items]))
      expect(rows.flatMap(({ prompt }) => prompt ?? [])).toEqual(turns.flatMap(({ prompt }) => prompt ?? []))
      expect(rows.filter(({ prompt, items }) => !prompt && items.length === 0)).toEqual([])
    }
  })

  test('pages of any size make up the whole', async () => {
    const rows = await whole({})
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: rows.length + 5 }), async (count) => {
        const pages: Page['rows'] = []
        for (let from = 0; from < rows.length; from += count)
          pages.push(...(await pageOf(context, { from, count })).rows)
        expect(pages).toEqual(rows)
      }),
      { numRuns: 15 },
    )
  })

  test('the page around a row holds it, whichever branch that is on', async () => {
    for (const branch of branches) {
      const rows = await whole(branch === undefined ? {} : { branch })
      for (const { uuid } of rows) {
        const page = await pageOf(context, { around: uuid, count: 3 })
        expect(page.rows.find(({ row }) => row === page.at)?.uuid).toBe(uuid)
        expect(page.from % 3).toBe(0)
      }
    }
  })

  test('the end of the log, read from any row, is the end of the whole', async () => {
    const rows = await whole({})
    // The end alone does not know who the agents are.
    const plain = (row: Page['rows'][number] | undefined) => ({
      ...row,
      row: undefined,
      turn: undefined,
      items: row?.items.map((item) => ({ ...item, agent: null, agents: [], overflow: null })),
    })
    let wholes = 0
    for (const [at, { offset, line, turn, uuid }] of rows.entries()) {
      const end = await pageOf(context, { offset, line })
      expect(end.rows[0]?.uuid).toBe(uuid)
      if (!end.goesOn) continue
      wholes += 1
      expect(end.rows.map(plain)).toEqual(rows.slice(at).map(plain))
      const shift = turn - (end.rows[0]?.turn ?? 0)
      expect(end.rows.map((row) => row.turn + shift)).toEqual(rows.slice(at).map((row) => row.turn))
    }
    expect(wholes).toBeGreaterThan(rows.length / 3)
  })

  test('opens the agent by its id, and its start', async () => {
    const [agent] = (await shownBy(context)).session.agents ?? []
    for (const name of [`agent-${agent?.id}`, `agent-${agent?.id.slice(0, 5)}`]) {
      const page = await pageOf(context, { session: name })
      expect(page.agent).toBe(agent?.id)
      const said = page.rows.filter(({ kind }) => kind === 'prompt' || kind === 'response')
      expect(
        said.flatMap(({ prompt, items }) => [prompt?.text ?? [], ...items.map((item) => item.kind)].flat()),
      ).toEqual(expect.arrayContaining(['Look.', 'tool', 'text']))
    }
  })
})

describe('the page around a row that is not shown', async () => {
  const made = log({ version: '2.1.325' })
    .user('one')
    .assistant('Looking.')
    .parallel([
      { name: 'Read', input: { file_path: '/a' }, output: 'alpha' },
      { name: 'Grep', input: { pattern: 'b' }, output: 'beta' },
    ])
    .assistant('Found.')
    .command('/cost', { output: 'Total: $1' })
    .bash('ls', 'a.txt')
    .compact({ summary: 'Short.' })
    .user('two')
    .assistant('Done.')
  const context = written(made)
  const uuidWith = (text: string) => {
    const row = made.rows().find((one) => typeof one.uuid === 'string' && JSON.stringify(one).includes(text))
    return stringAt(row, 'uuid') ?? ''
  }
  const shownAt = async (around: string) => {
    const page = await pageOf(context, { around, count: 500 })
    return page.rows[page.at ?? -1]?.items[0]
  }

  test('is that of the call it answers', async () => {
    expect(await shownAt(uuidWith('"beta"'))).toMatchObject({ kind: 'tool', name: 'Grep' })
    expect(await shownAt(uuidWith('"alpha"'))).toMatchObject({ kind: 'tool', name: 'Read' })
  })
  test('is that of the command it is the output of', async () => {
    expect(await shownAt(uuidWith('Total: $1'))).toMatchObject({ kind: 'command', name: '/cost' })
    expect(await shownAt(uuidWith('<bash-stdout>a.txt'))).toMatchObject({ kind: 'bash', input: 'ls' })
  })
  test('is that of the compaction it summarises', async () => {
    expect(await shownAt(uuidWith('Short.'))).toMatchObject({ kind: 'compaction' })
  })
  test('is found by the id of a call, too', async () => {
    const { items } = (await shownBy(context)).turns[0] ?? { items: [] }
    const grep = [...items].find((item) => stringAt(item, 'name') === 'Grep')
    expect(withoutAnswers([(await shownAt(stringAt(grep, 'id') ?? '')) ?? {}])).toEqual([grep])
  })
  test('stands somewhere for every row of the log', async () => {
    for (const row of made.rows()) {
      if (typeof row.uuid !== 'string') continue
      const page = await pageOf(context, { around: row.uuid, count: 4 })
      expect(page.rows.map((one) => one.row)).toContain(page.at)
    }
  })
})

test('a row that is not there is said to be so, and who has it', async () => {
  const made = everything('2.1.325')
  const context = written(made)
  await expect(pageOf(context, { around: 'ffffffff' })).rejects.toThrow('No row here is called "ffffffff".')
  const [agent] = (await shownBy(context)).session.agents ?? []
  const { rows } = await pageOf(context, { session: `agent-${agent?.id}` })
  const hinted = () => pageOf(context, { around: rows[0]?.uuid ?? '' })
  await expect(hinted()).rejects.toThrow(
    expect.objectContaining({ hint: expect.stringContaining(`agent-${agent?.id}`) }),
  )
  const abandoned = (await shownBy(context)).branches.find(({ active }) => !active)?.leaf ?? ''
  const { branch } = await pageOf(context)
  expect((await pageOf(context, { around: abandoned })).branch).toBe(abandoned)
  await expect(pageOf(context, { around: abandoned, branch: branch ?? '' })).rejects.toThrow('is not on this branch')
})

test('sees what was written since', async () => {
  const made = log({ seed: 'growing' }).user('one').assistant('first')
  const root = mkdtempSync(join(folder, 'root-'))
  made.write(root)
  const context = { ...written(log().user('x')), library: new Library({ roots: [root] }) }
  const { total } = await pageOf(context)
  made.user('two').assistant('second').write(root)
  context.library.refresh()
  const page = await pageOf(context)
  expect(page.total).toBeGreaterThan(total)
  expect(page.rows.at(-1)?.items).toMatchObject([{ kind: 'text', text: 'second' }])
})

test('says where the answer to a call stands', async () => {
  const made = log({ version: '2.1.325' }).user('one').tool('Bash', { command: 'ls' }, { output: 'a.txt' })
  const { rows } = await pageOf(written(made))
  const calls = rows.flatMap(({ items }) => items.filter(({ kind }) => kind === 'tool'))
  const answered = made.rows().findIndex((row) => JSON.stringify(row).includes('"tool_result"'))
  expect(calls).toMatchObject([{ answer: { line: answered + 1 } }])
})

test('the end of a log does not go on where someone went back to what stands before it', async () => {
  const made = log().user('one').assistant('first').user('two').assistant('second')
  const context = written(made)
  const { offset = 0, line = 0 } = (await pageOf(context)).rows.at(-1) ?? {}
  expect(await pageOf(context, { offset, line })).toMatchObject({ goesOn: true, total: 1 })
  const rewound = written(
    log().user('one').assistant('first').user('two').assistant('second').rewind({ to: 1 }).user('2'),
  )
  expect((await pageOf(rewound, { offset, line })).goesOn).toBe(false)
})

test('the end is read of a log that grew since it was listed', async () => {
  const root = mkdtempSync(join(folder, 'root-'))
  const start = () => log().user('one').assistant('first')
  const longer = start().user('two').assistant('second')
  start().write(root)
  const listed = { ...written(longer), library: new Library({ roots: [root] }) }
  expect(await pageOf(listed)).toMatchObject({ total: 2 })
  longer.write(root)
  const { offset = 0, line = 0 } = (await pageOf(written(longer))).rows.at(-1) ?? {}
  expect(await pageOf(listed, { offset, line })).toMatchObject({ goesOn: true, total: 1 })
})

test('there is no end near a byte that the log does not have', async () => {
  await expect(pageOf(written(log().user('one')), { offset: 10_000_000 })).rejects.toThrow(
    'does not end near byte 10000000',
  )
})
