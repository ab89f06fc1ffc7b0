import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { TeamRow } from '../src/collector/row.ts'
import { type FolderOptions, folderSink } from '../src/collector/sinks/folder.ts'
import { readManifest } from '../src/collector/sinks/folder-manifest.ts'
import { groupsOf, MERGE_LIMITS } from '../src/collector/sinks/folder-merge.ts'
import { partsIn } from '../src/collector/sinks/folder-purge.ts'
import { tombstoneOf } from '../src/collector/tombstone.ts'
import { rowsIn } from './collector/folder-place.ts'
import { answer, batch, machine, row, SESSION } from './collector/made-batches.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-parts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let places = 0
const newPlace = () => join(folder, `place-${places++}`)
const keys = (rows: readonly TeamRow[]) => rows.map((one) => `${one.machine} ${one.file} ${one.offset}`).sort()
const day = (number: number) => `2026-11-${String(10 + (number % 3)).padStart(2, '0')}T10:00:00.000Z`

async function fill(out: string, options: FolderOptions, machines = 3, batches = 6) {
  const sink = folderSink(out, options)
  const sent: TeamRow[] = []
  for (let number = 0; number < machines * batches; number++) {
    const who = machine(1 + (number % machines))
    const first = Math.floor(number / machines) * 3
    const rows = [0, 1, 2].map((at) => answer(first + at, { machine: who.id, timestamp: day(at) }))
    await sink.deliver(batch(`${number}`, rows, { machine: who }))
    sent.push(...rows)
  }
  return { sink, sent }
}

const records = (out: string) =>
  partsIn(join(out, 'records')).map((path) => path.slice(join(out, 'records').length + 1))

test.each(['jsonl', 'parquet'] as const)(
  'small parts of %s become one for each day and machine, and the rows stay',
  async (format) => {
    const out = newPlace()
    const { sink, sent } = await fill(out, { format })
    expect(records(out).length).toBe(54)
    await sink.close()
    expect(records(out).length).toBe(9)
    expect(keys(await rowsIn(out))).toEqual(keys(sent))
    for (const path of partsIn(join(out, 'records'))) {
      const files = readManifest(join(dirname(path), '_manifest.json'))
      expect(files).toEqual([{ name: path.split('/').at(-1), bytes: statSync(path).size, rows: 6 }])
    }
  },
)

test.each(['jsonl', 'parquet'] as const)(
  'a receiver merges what came from many machines as %s; a purge of one takes its rows out of it, and no others',
  async (format) => {
    const out = newPlace()
    const { sink, sent } = await fill(out, { format, mergesAs: 'r1' })
    await sink.close()
    expect(records(out).map((path) => path.split('/')[1])).toEqual(Array(3).fill('source=receiver-r1'))
    expect(readdirSync(join(out, 'records/day=2026-11-10'))).toEqual(['source=receiver-r1'])
    const again = folderSink(out, { format, mergesAs: 'r1' })
    const tombstones = [tombstoneOf(SESSION)]
    await again.deliver(batch('purge', [], { machine: machine(2), tombstones, isOwnPurge: true }))
    expect(keys(await rowsIn(out))).toEqual(keys(sent.filter((one) => one.machine !== machine(2).id)))
    const counted = records(out).map(
      (path) => readManifest(join(out, 'records', dirname(path), '_manifest.json'))[0]?.rows,
    )
    expect(counted).toEqual([12, 12, 12])
  },
)

test('a merge that was noted is brought to its end, one that was not has not happened', async () => {
  const out = newPlace()
  const { sent } = await fill(out, { format: 'jsonl' }, 1, 2)
  const at = join(out, 'records/day=2026-11-10', `source=${machine(1).id}`)
  const own = join(out, '_annals')
  const aside = join(own, `${machine(1).id}.aside`)
  const parts = readdirSync(at).filter((name) => name.endsWith('.gz'))
  const merged = Buffer.concat(parts.map((name) => readFileSync(join(at, name))))
  const below = (name: string) => `day=2026-11-10/source=${machine(1).id}/${name}`
  // Killed before the note: what lies aside is removed.
  writeFileSync(join(aside, 'merged.jsonl.gz'), merged)
  await folderSink(out).open(machine(1))
  expect(readdirSync(aside)).toEqual([])
  expect(keys(await rowsIn(out))).toEqual(keys(sent))
  // Killed after it: at any point of what follows.
  for (const done of ['nothing', 'renamed', 'one removed']) {
    const place = newPlace()
    spawnSync('cp', ['-r', out, place])
    const here = (path: string) => path.replace(out, place)
    const note = { version: 1, draft: 'merged.jsonl.gz', to: below('m.jsonl.gz'), from: parts.map(below) }
    writeFileSync(here(join(own, `source=${machine(1).id}.merge.json`)), JSON.stringify(note))
    writeFileSync(here(done === 'nothing' ? join(aside, 'merged.jsonl.gz') : join(at, 'm.jsonl.gz')), merged)
    if (done === 'one removed') rmSync(here(join(at, parts[0] as string)))
    await folderSink(place).open(machine(1))
    expect(keys(await rowsIn(place)), done).toEqual(keys(sent))
    expect(existsSync(here(join(own, `source=${machine(1).id}.merge.json`)))).toBe(false)
  }
})

test('parts grow to 64 MB and never beyond 128, and a byte is written again a few times at most', () => {
  const MB = 1024 * 1024
  const { smallBytes, largeBytes } = MERGE_LIMITS
  expect([smallBytes / MB, largeBytes / MB, MERGE_LIMITS.afterMs]).toEqual([64, 128, 600_000])
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 8 * MB }), { minLength: 1, maxLength: 400 }), (sizes) => {
      let parts: { readonly bytes: number }[] = []
      let written = 0
      for (const [number, bytes] of sizes.entries()) {
        parts.push({ bytes })
        if (number % 10 !== 9 && number !== sizes.length - 1) continue
        for (const group of groupsOf(parts, MERGE_LIMITS)) {
          const total = group.reduce((sum, one) => sum + one.bytes, 0)
          expect(group.length).toBeGreaterThan(1)
          expect(total).toBeLessThanOrEqual(largeBytes)
          written += total
          parts = [...parts.filter((one) => !group.includes(one)), { bytes: total }]
        }
      }
      const total = sizes.reduce((sum, one) => sum + one, 0)
      expect(parts.reduce((sum, one) => sum + one.bytes, 0)).toBe(total)
      expect(written).toBeLessThanOrEqual(total * 8)
      // Few are small: each is at least twice what came before it.
      expect(parts.filter(({ bytes }) => bytes < smallBytes).length).toBeLessThanOrEqual(28)
    }),
    { numRuns: 50 },
  )
})

test('rows without a time, or of a year that no engine knows, have a partition of their own', async () => {
  const out = newPlace()
  const sink = folderSink(out)
  const rows = [row(0), row(1, { timestamp: null }), row(2, { timestamp: '+010000-01-01T00:00:00.000Z' }), row(3)]
  await sink.deliver(batch('one', rows))
  await sink.close()
  expect(readdirSync(join(out, 'records')).sort()).toEqual(['day=2026-11-14', 'day=__HIVE_DEFAULT_PARTITION__'])
  expect(keys(await rowsIn(out))).toEqual(keys(rows))
})

// DuckDB from npm, in a folder of its own: `ANNALS_DUCKDB=1`, or the name of a folder that has it.
const asked = process.env.ANNALS_DUCKDB
const without = asked ? '' : ' (skipped: set ANNALS_DUCKDB=1 to install DuckDB into a scratch folder)'

describe.skipIf(!asked)(`read by DuckDB${without}`, async () => {
  if (!asked) return test.skip('DuckDB is not asked for', () => {})
  const scratch = asked === '1' ? join(tmpdir(), 'annals-duckdb') : asked
  if (!existsSync(join(scratch, 'node_modules/@duckdb/node-api'))) {
    mkdirSync(scratch, { recursive: true })
    const args = [
      'install',
      '--prefix',
      scratch,
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '@duckdb/node-api@1.5.6-r.1',
    ]
    spawnSync('npm', args, { stdio: 'ignore' })
  }
  const { DuckDBInstance } = createRequire(join(scratch, 'x.js'))('@duckdb/node-api')
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const ask = async (sql: string): Promise<Record<string, unknown>[]> =>
    (await connection.runAndReadAll(sql)).getRowObjectsJson()

  async function lake(format: 'jsonl' | 'parquet') {
    const out = newPlace()
    const { sink, sent } = await fill(out, { format })
    const dateless = answer(90, { timestamp: null, messageId: 'msg_dateless' })
    // A response is written in several rows, and a copy of a log has it again.
    const again = answer(91, { messageId: 'msg_1', timestamp: day(1) })
    await sink.deliver(batch('more', [dateless, again, row(92, { timestamp: '2026-11-14T10:00:00.000Z' })]))
    await sink.close()
    return { out, count: sent.length + 3 }
  }

  test('lines and columns have one schema', async () => {
    const [lines, columns] = [await lake('jsonl'), await lake('parquet')]
    const shape = (from: string) => ask(`describe select * exclude (day, source) from ${from}`)
    const named = (rows: Record<string, unknown>[]) =>
      rows.map(({ column_name, column_type }) => [column_name, column_type])
    const ofLines = named(await shape(`read_json('${lines.out}/records/*/*/*.jsonl.gz', hive_partitioning = true)`))
    const ofColumns = named(
      await shape(`read_parquet('${columns.out}/records/*/*/*.parquet', hive_partitioning = true)`),
    )
    // What DuckDB guesses of ids in JSON is a UUID, and of what no row has, JSON; text holds both.
    const plain = (rows: unknown[][]) =>
      rows.map(([name, type]) => [name, String(type).replace(/UUID|^JSON$/g, 'VARCHAR')])
    expect(plain(ofLines)).toEqual(plain(ofColumns))
  })

  const page = readFileSync(join(import.meta.dirname, '../docs/collect.md'), 'utf8')
  const queries = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => sql)

  test.each(['jsonl', 'parquet'] as const)('the queries of the page give what is there, of %s', async (format) => {
    const { out, count } = await lake(format)
    expect(queries.length).toBeGreaterThan(2)
    const results: Record<string, unknown>[][] = []
    for (const text of queries) {
      const here = text.replaceAll("'records/", `'${out}/records/`)
      const sql =
        format === 'parquet' ? here : here.replaceAll('read_parquet', 'read_json').replaceAll('.parquet', '.jsonl.gz')
      for (const one of sql.split(';').filter((part) => part.trim() !== '')) {
        const rows = await ask(one)
        if (/^\s*(--.*\n)*\s*(select|with|from)/i.test(one)) results.push(rows)
      }
    }
    const [models, tools, days, counted] = results
    // 18 responses of each of three machines have the ids of one another: each counts once, and the one without a time too.
    expect(models).toEqual([{ model: 'claude-opus-5-5', output: String(19 * 40) }])
    expect(tools).toEqual([{ tool: 'Edit', calls: String(count - 1) }])
    expect(days?.map((one) => [one.day, Number(one.records)])).toEqual([
      ['2026-11-10', 18],
      ['2026-11-11', 19],
      ['2026-11-12', 18],
      ['2026-11-14', 1],
      [null, 1],
    ])
    expect(Number(Object.values(counted?.[0] ?? {})[0])).toBe(count)
  })
})

test('days that a killed process left without a manifest, with an old one or with a draft are mended by the next run', async () => {
  const out = newPlace()
  await fill(out, {})
  const days = [...new Set(partsIn(join(out, 'records')).map(dirname))].sort()
  const before = days.map((path) =>
    readManifest(join(path, '_manifest.json')).map(({ name, bytes }) => ({ name, bytes })),
  )
  const [first = '', second = '', third = ''] = days
  rmSync(join(first, '_manifest.json'))
  writeFileSync(join(second, '_manifest.json'), '{"version":1,"files":[]}')
  writeFileSync(join(third, '_manifest.json.tmp'), '{"version":1,"fi')
  const sink = folderSink(out)
  for (const number of [1, 2, 3]) await sink.open(machine(number))
  const after = days.map((path) =>
    readManifest(join(path, '_manifest.json')).map(({ name, bytes }) => ({ name, bytes })),
  )
  expect(after).toEqual(before)
  expect(readdirSync(third).filter((name) => name.endsWith('.tmp'))).toEqual([])
})
