import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { postgresReader } from '../src/collector/sinks/postgres/reader.ts'
import { openStoreOf } from '../src/collector/team/open-store.ts'
import type { StoreReader } from '../src/collector/team/store-reader.ts'
import { search } from '../src/ops/search.ts'
import { hasPostgres, newDatabase, testCluster, withoutPostgres } from './postgres.ts'
import { type MadeMachine, madeMachine } from './postgres-machines.ts'

const DAY = 86_400_000
const now = Date.now()
const idOf = (log: number, row: number) =>
  `${String(log).padStart(8, '0')}-0000-4000-8000-${String(row).padStart(12, '0')}`

/** A row of a log, in the words of the format. */
function rowOf(log: number, row: number, type: 'user' | 'assistant', content: unknown, at = now - DAY / 2): object {
  const message =
    type === 'user' ? { role: type, content } : { id: `msg_${log}_${row}`, model: 'm', role: type, content }
  const timestamp = new Date(at + row).toISOString()
  const of = { sessionId: idOf(log, 0), cwd: '/home/ana/shop', version: '2.1.0', uuid: idOf(log, row), timestamp }
  return { type, parentUuid: row === 1 ? null : idOf(log, row - 1), isSidechain: false, ...of, message }
}

/** More of one word than have places in a text of PostgreSQL. */
const LONG = `A red lamp ${'the '.repeat(300)}blue door of getUserName`
const SHORT = 'A red lamp, the blue door'
const TIMES = [2 * DAY, -DAY / 24, -3 * DAY, -30 * DAY, -400 * DAY].map((ms) => now + ms)
const ANSWERS = 12

/** What would end a text in SQL that was not quoted well. */
const ODD = '/home/ana/o\'neil\\\';select $1 {"x"}.ts'

function writeLogs(root: string): void {
  const folder = join(root, 'projects', '-home-ana-shop')
  mkdirSync(folder, { recursive: true })
  const write = (log: number, rows: readonly object[]) =>
    writeFileSync(join(folder, `${idOf(log, 0)}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  write(1, [rowOf(1, 1, 'user', LONG), rowOf(1, 2, 'user', SHORT)])
  TIMES.forEach((at, i) => {
    write(10 + i, [rowOf(10 + i, 1, 'user', `lantern ${i}`, at)])
  })
  write(15, [
    rowOf(15, 1, 'assistant', [
      { type: 'tool_use', id: 'toolu_15', name: 'Write', input: { file_path: ODD, content: 'a ladder' } },
    ]),
  ])
  write(20, [
    rowOf(20, 1, 'user', 'Hello'),
    { type: 'summary', summary: 'A lantern without a time', leafUuid: idOf(20, 1) },
  ])
  for (let log = 30; log < 30 + ANSWERS; log++) {
    const id = `toolu_${log}`
    write(log, [
      rowOf(log, 1, 'assistant', [{ type: 'tool_use', id, name: 'Bash', input: { command: `look ${log}` } }]),
      rowOf(log, 2, 'user', [{ type: 'tool_result', tool_use_id: id, content: 'a turnstile' }]),
    ])
  }
}

describe.skipIf(!hasPostgres)(`a search of a team store${withoutPostgres}`, () => {
  let cluster: Cluster
  let machine: MadeMachine
  let url: string
  let database: string
  const cache = mkdtempSync(join(tmpdir(), 'annals-store-search-'))
  beforeAll(async () => {
    cluster = testCluster()
    machine = madeMachine(writeLogs)
    database = newDatabase(cluster)
    url = cluster.url(database)
    await machine.collect(url, { content: 'all', user: 'real', paths: 'real' })
  })
  afterAll(() => {
    cluster?.remove()
    machine?.remove()
    rmSync(cache, { recursive: true, force: true })
  })

  /** What is found, and how often the store was asked what. */
  async function found(query: string, limit = 100, more: object = {}, from = url) {
    const asked: Record<string, number> = {}
    const reader = counted(postgresReader(from), asked)
    const { library, remote } = await openStoreOf(reader, join(cache, String(Math.random())), () => {})
    try {
      const context = { ...machine.context(), library, remote }
      return { ...(await search.run(context, { query: [query], limit, ...more } as never)), asked }
    } finally {
      remote.close()
    }
  }

  test.each([
    ['"red lamp"', [1, 2]],
    ['"lamp the"', [1, 2]],
    ['"lamp the the"', [1]],
    ['"the blue door"', [1, 2]],
    ['"lamp blue"', []],
    ['"door of get"*', [1]],
    ['"user name"', [1]],
    ['door -"the the"', [2]],
    ['"the the" OR "no such"', [1]],
    ['"the the" "lamp blue"', []],
  ])('%s is found in long texts as in short ones', async (query, lines) => {
    expect((await found(query)).hits.map(({ line }) => line).sort()).toEqual(lines)
  })

  test('what was said ever is found once, the newest first, and what has no time last', async () => {
    const { hits, total } = await found('lantern')
    expect(total).toBe(TIMES.length + 1)
    expect(hits.map(({ timestamp }) => timestamp)).toEqual([...TIMES.map((at) => new Date(at + 1).toISOString()), null])
    const times = cluster.psql(`select coalesce(time, 0) from annals.search('lantern')`, database)
    expect(times.trim().split('\n').map(Number)).toEqual([...TIMES.map((at) => at + 1), 0])
    expect((await found('lantern', 2)).hits.length).toBe(2)
  })

  test('who may have one connection finds as much', async () => {
    cluster.psql('create role single login connection limit 1 in role annals_reader')
    cluster.psql(`insert into annals.granted values ('single', '*')`, database)
    const { hits } = await found('"the blue door"', 100, {}, cluster.url(database, 'single'))
    expect(hits.map(({ line }) => line).sort()).toEqual([1, 2])
  })

  test('what is asked for is a value, whatever stands in it', async () => {
    expect((await found('ladder', 9, { file: ODD })).total).toBe(1)
    expect((await found('ladder', 9, { file: "o'neil\\'" })).total).toBe(1)
    expect((await found('ladder', 9, { file: "' or true --" })).total).toBe(0)
    expect((await found('ladder', 9, { file: "\\' or true --" })).total).toBe(0)
    expect((await found('ladder', 9, { file: 'o\0neil' })).total).toBe(0)
  })

  test('every session with a hit is told with its count, however many newer ones there are', async () => {
    const logOf = (number: number) =>
      cluster.psql(`select id from annals.log where file like '%${idOf(number, 0)}%'`, database).trim()
    const put = (log: string, count: number, at: number, copies: number) =>
      cluster.psql(
        `insert into annals.doc (log, number, month, line, "offset", length, time, role, kind, is_error, copy, is_long, words)
          select ${log}, 1000 + n, annals.month_of(${at}), 1, 0, 1, ${at} + n, 'user', 'prompt', false, ${copies} + n % ${count / 2}, false, 'crowd:1'
          from generate_series(1, ${count}) n`,
        database,
      )
    // Each message twice; the last log has 20 of those of the one before it.
    put(logOf(10), 24_000, now - DAY, 1_000_000)
    put(logOf(13), 40, now - 30 * DAY, 1_000_000)
    put(logOf(14), 60, now - 400 * DAY, 9_000_000)
    const { total, moreHits, sessions, groups } = await found('crowd', 3)
    expect({ total, moreHits, sessions }).toEqual({ total: 10_000, moreHits: true, sessions: 3 })
    expect(groups.map(({ session, count }) => [session, count])).toEqual([
      [idOf(10, 0), 12_000],
      [idOf(13, 0), 20],
      [idOf(14, 0), 30],
    ])
    const [few, both] = [await found('crowd', 3, { until: '20d' }), await found('crowd', 3, { until: '100d' })]
    expect([few.total, few.moreHits, few.sessions]).toEqual([50, false, 2])
    expect([both.total, both.moreHits, both.sessions]).toEqual([30, false, 1])
    cluster.psql(`delete from annals.doc where number >= 1000`, database)
  })

  test('the records of a page, and the calls that they answer, are asked for at once', async () => {
    const [few, many] = [await found('turnstile', 2), await found('turnstile')]
    expect(many.hits.map(({ who }) => who).sort()).toEqual(
      Array.from({ length: ANSWERS }, (_, i) => `output of Bash · look ${30 + i}`),
    )
    expect(many.hits.every(({ snippet }) => snippet === 'a turnstile')).toBe(true)
    expect(many.asked).toEqual(few.asked)
    expect(many.asked).toMatchObject({ recordsAt: 2, offsets: 1, calls: 1, turns: 1 })
    expect(many.asked.records).toBeUndefined()
  })
})

/** The same reader, which counts. */
function counted(reader: StoreReader, asked: Record<string, number>): StoreReader {
  return new Proxy(reader, {
    get(target, name: keyof StoreReader & string) {
      const own = target[name]
      if (typeof own !== 'function') return own
      return (...args: unknown[]) => {
        asked[name] = (asked[name] ?? 0) + 1
        return (own as (...args: unknown[]) => unknown).apply(target, args)
      }
    },
  })
}
