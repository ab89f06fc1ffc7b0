import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CountedHolding, ownersOf } from '../core/facts/owner.ts'
import { type Database, selectAll } from './driver.ts'
import { openIndex } from './open.ts'
import { OwnerWriter } from './owner.ts'
import { RESPONSE_FLAGS } from './schema.ts'

const LOGS = 4
const heads = ['aa', 'aa', 'bb', 'cc']

/** One row of `response`, in one of few logs, so that most messages are held several times. */
const holding = fc.record({
  log: fc.nat({ max: LOGS - 1 }),
  message: fc.constantFrom('m1', 'm2'),
  request: fc.constantFrom(null, 'r1', 'r2'),
  isMarked: fc.boolean(),
  isMadeHere: fc.boolean(),
  isNamed: fc.boolean(),
  writtenAt: fc.nat({ max: 2 }),
  rows: fc.integer({ min: 1, max: 3 }),
  outputTokens: fc.nat({ max: 2 }),
  isPlaceholder: fc.boolean(),
})

const ended = fc.tuple(...Array.from({ length: LOGS }, () => fc.nat({ max: 2 })))

// A log has one holding of a request.
const holdings = fc.uniqueArray(holding, {
  selector: ({ log, message, request }) => `${log} ${message} ${request}`,
  maxLength: 12,
})

test('the pure rule and the SQL of the index name the same owners, counted holdings, rows and logs', () => {
  fc.assert(
    fc.property(holdings, ended, (held, endedAt) => {
      const counted = held.map(({ log, ...rest }): CountedHolding => {
        const named = { endedAt: endedAt[log] as number, head: heads[log] as string, path: `/log-${log}.jsonl` }
        return { ...rest, log: named }
      })
      expect(ownersOf(counted)).toEqual(ownersBySql(counted))
    }),
    { numRuns: 300 },
  )
})

function ownersBySql(held: readonly CountedHolding[]): unknown {
  const { database } = openIndex(undefined, [])
  const paths = [...new Set(held.map(({ log }) => log.path))]
  for (const path of paths) putLog(database, paths.indexOf(path) + 1, held.find(({ log }) => log.path === path)?.log)
  const writer = new OwnerWriter(database)
  held.forEach((one, i) => {
    putResponse(database, i + 1, paths.indexOf(one.log.path) + 1, one)
  })
  paths.forEach((_, i) => {
    writer.noteFresh(i + 1)
  })
  writer.settle()
  const columns = ['id', 'owner', 'coalesce(counts, id) as counted', 'seen_rows', 'seen_logs']
  const rows = selectAll(database, { columns, from: 'response', order: 'id' })
  database.close()
  return rows.map((row) => ({
    isOwner: row.owner === 1,
    counts: (row.counted as number) - 1,
    seenRows: row.seen_rows,
    seenLogs: row.seen_logs,
  }))
}

function putLog(database: Database, id: number, log: CountedHolding['log'] | undefined): void {
  database
    .prepare(
      `insert into log (id, root, path, project, session, state, generation, size, modified, settled, head_length, head_hash, tail_length,
        tail_hash, prefix_sum, read, read_line) values (?, '/', ?, 'p', ?, 'disk', 1, 0, 0, 1, 0, '', 0, '', 0, 0, 0)`,
    )
    .run(id, log?.path ?? '', `s${id}`)
  database
    .prepare(
      `insert into fact (log, kind, lines, rows, prompts, messages, turns, tool_calls, branches, compactions, all_compactions, interrupts,
        git_branches, ended, active_ms, head, inner_ids, models, synthetic, agents)
      values (?, 'conversation', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '[]', ?, 0, ?, '[]', '[]', '[]', '{}')`,
    )
    .run(id, log?.endedAt ?? 0, log?.head ?? '')
}

function putResponse(database: Database, id: number, log: number, one: CountedHolding): void {
  const isSet = new Map<string, boolean>([
    ['marked', one.isMarked],
    ['made', one.isMadeHere],
    ['named', one.isNamed],
    ['placeholder', one.isPlaceholder],
  ])
  const flags = RESPONSE_FLAGS.reduce((sum, name, bit) => sum | (Number(isSet.get(name) ?? false) << bit), 0)
  database
    .prepare(
      `insert into response (id, log, message, request, line, offset, length, rows, last_offset, written, flags, seen_rows, model, input, output,
        cache_read, write_5m, write_1h, web_searches) values (?, ?, ?, ?, 1, ?, 1, ?, 0, ?, ?, ?, 1, 0, ?, 0, 0, 0, 0)`,
    )
    .run(id, log, one.message, one.request, id, one.rows, one.writtenAt, flags, one.rows, one.outputTokens)
}
