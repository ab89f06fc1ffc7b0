import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { RowTable } from '../src/core/facts/row-table.ts'
import { parseJson } from '../src/core/json.ts'
import { startCursor } from '../src/disk/cursor.ts'
import { diskSource } from '../src/disk/disk-source.ts'
import type { SourceEntry } from '../src/disk/source.ts'
import type { Database } from '../src/index/driver.ts'
import { readTreeRows } from '../src/index/facts.ts'
import { ingestFacts } from '../src/index/ingest.ts'
import type { LogRows } from '../src/index/log-rows.ts'
import { openIndex } from '../src/index/open.ts'
import { allRowTables } from '../src/index/row-tables.ts'
import { OF_A_LOG } from '../src/index/schema.ts'
import { readStraightRows } from '../src/index/straight-rows.ts'
import { writeDemoRoot } from '../src/testing/demo-root.ts'
import { generateRoot } from '../src/testing/generate-root.ts'
import { corpus, WITHOUT_CORPUS } from './corpus.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-straight-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The logs below a folder, wherever in it they lie. */
function logsIn(dir: string): {
  readonly source: ReturnType<typeof diskSource>
  readonly logs: readonly SourceEntry[]
} {
  const source = diskSource([dir], { include: (path) => path.endsWith('/') || path.endsWith('.jsonl') })
  return { source, logs: [...source.list()] }
}

/** Reads every log as a straight one and by its tree, and compares. Gives how much of the logs is straight. */
function compareReadings(dir: string): number {
  const { source, logs } = logsIn(dir)
  let [straight, all] = [0, 0]
  for (const entry of logs) {
    const name = /^agent-(.*)\.jsonl$/.exec(basename(entry.path))
    const job = { entry, cursor: startCursor(entry), agent: name?.[1] ?? null }
    const rows = readStraightRows(source, job)
    const tree = readTreeRows(source, job)
    all += entry.sizeBytes
    if (!rows) continue
    straight += entry.sizeBytes
    expect(comparable(rows), entry.path).toEqual(comparable(tree as LogRows))
  }
  const share = straight / all
  console.log(`${logs.length} logs, ${(100 * share).toFixed(1)} % of their bytes straight`)
  return share
}

/** By message: the tree tells responses by time, a straight log in its own order. */
function comparable({ fact, rows, responses, carry: _, ...others }: LogRows) {
  const width = responses.numbers.length / Math.max(1, responses.messages.length)
  const held = responses.messages.map((message, i) => ({
    message,
    request: responses.requests[i],
    model: responses.models[i],
    geo: responses.geos[i],
    numbers: [...responses.numbers.slice(i * width, (i + 1) * width)],
  }))
  return {
    ...others,
    fact,
    rows: [...rows],
    responses: held.sort((a, b) => (a.message < b.message ? -1 : 1)),
  }
}

/** Writes each log bit by bit, taking up each bit; the tables must be those of the whole logs. Gives how many logs went on from where they ended. */
function compareGrowth(logs: readonly SourceEntry[], cuts: readonly number[]): number {
  let carried = 0
  for (const [i, entry] of logs.entries()) {
    const root = join(folder, `grown-${i}`)
    const project = join(root, 'projects', '-p')
    mkdirSync(project, { recursive: true })
    const path = join(project, basename(entry.path))
    const lines = readFileSync(entry.path)
      .toString('latin1')
      .split(/(?<=\n)/)
    const { database } = openIndex(undefined, [root])
    writeFileSync(path, '')
    let from = 0
    for (const cut of [...cuts, 1]) {
      const to = Math.round(cut * lines.length)
      appendFileSync(path, Buffer.from(lines.slice(from, to).join(''), 'latin1'))
      from = to
      ingestFacts(database, diskSource([root]))
    }
    const fresh = openIndex(undefined, [root]).database
    ingestFacts(fresh, diskSource([root]))
    expect(dump(database), entry.path).toEqual(dump(fresh))
    carried += database.prepare('select log from carry').all().length
    database.close()
    fresh.close()
    rmSync(root, { recursive: true })
  }
  return carried
}

/** All rows of the tables, their own numbers aside, and what logs go on from: only those that grew have that. */
function dump(database: Database) {
  return OF_A_LOG.filter((table) => table !== 'carry').map((table) => {
    const rows = database.prepare(`select * from ${table}`).all()
    if (table === 'rows') return [table, [...allRowTables(database)].flatMap(rowsIn)]
    const texts = rows.map(({ id: _, ...row }) => JSON.stringify(row))
    return [table, texts.sort().map((text) => parseJson(text))]
  })
}

/** One row of a log's tree each, whatever pieces they lie in. */
function rowsIn({ log, rows }: { readonly log: number; readonly rows: RowTable }) {
  const { keys, offsets, times, spent, flags } = rows
  return Array.from(keys, (key, i) => [log, key, offsets[i], times[i], spent[i], flags[i]])
}

test('the demo root is read alike as straight logs and by trees, whole and bit by bit', () => {
  const dir = join(folder, 'demo')
  writeDemoRoot(dir, new Date('2026-11-15T12:00:00.000Z'))
  expect(compareReadings(dir)).toBeGreaterThan(0.3)
  expect(compareGrowth(logsIn(dir).logs, [0.1, 0.3, 0.6, 0.9])).toBeGreaterThan(5)
})

test('a generated root is read alike as straight logs and by trees, whole and bit by bit', () => {
  const dir = join(folder, 'generated')
  generateRoot(dir, { bytes: 8 << 20 })
  expect(compareReadings(dir)).toBeGreaterThan(0.5)
  expect(compareGrowth(logsIn(dir).logs.slice(0, 12), [0.1, 0.21, 0.5, 0.51, 0.83])).toBeGreaterThan(5)
})

const real = corpus('2.1.325')
test.skipIf(!real)(
  `real logs are read alike as straight logs and by trees, whole and bit by bit${real ? '' : WITHOUT_CORPUS}`,
  { timeout: 0 },
  () => {
    expect(compareReadings(real as string)).toBeGreaterThan(0.3)
    const clients = readdirSync(real as string).filter((name) => /^\d/.test(name))
    const grown = clients.map((client) =>
      compareGrowth(logsIn(join(real as string, client)).logs, [0.1, 0.25, 0.5, 0.75]),
    )
    expect(Math.max(...grown)).toBeGreaterThan(0)
  },
)
