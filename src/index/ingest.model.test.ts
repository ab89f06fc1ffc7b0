import { appendFileSync } from 'node:fs'
import fc from 'fast-check'
import { test } from 'vitest'
import {
  expectAsFromNothing,
  file,
  pathOf,
  type Rearrangement,
  rearrange,
  rearrangement,
  sessionOf,
} from '../../tests/support/index-model.ts'
import { diskSource } from '../disk/disk-source.ts'
import type { Database } from './driver.ts'
import { ingestFacts } from './ingest.ts'
import { rowTablesOf } from './row-tables.ts'

type Change =
  | {
      readonly do: 'say'
      readonly file: number
      readonly message: number
      readonly tokens: number
      readonly half: boolean
    }
  | { readonly do: 'ask' | 'rewind' | 'title' | 'summary'; readonly file: number; readonly message: number }
  | Rearrangement
type Step = Change | { readonly do: 'ingest' | 'restart' }

const message = fc.nat(5)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('say' as const), file, message, tokens: fc.nat(900), half: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('ask', 'rewind', 'title', 'summary' as const), file, message }),
  },
  { weight: 4, arbitrary: rearrangement },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('ingest', 'restart' as const) }) },
) as fc.Arbitrary<Step>

test('tables after any sequence of changes equal tables made from nothing', () => {
  const ingest = (database: Database, root: string) => ingestFacts(database, diskSource([root]))
  const act = (one: Step, number: number, root: string, database: Database) => {
    if (one.do === 'ingest') ingest(database, root)
    else change(root, one as Change, number)
  }
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => expectAsFromNothing(steps, { act, ingest, dump })),
    { numRuns: 150 },
  )
})

/** Rows of all files share their uuids and messages, so that copies and forks come about by themselves. */
function change(root: string, action: Change, number: number): void {
  const path = pathOf(root, action.file)
  const sessionId = sessionOf(action.file)
  const timestamp = new Date(Date.UTC(2026, 0, 1) + number * 400_000).toISOString()
  const row = (fields: object) => `${JSON.stringify({ sessionId, timestamp, ...fields })}\n`
  const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  const before = `00000000-0000-4000-8000-${String(Math.max(0, number - 1)).padStart(12, '0')}`
  if (action.do === 'say') {
    const usage = { input_tokens: 5, output_tokens: action.tokens }
    const said = { id: `msg_${action.message}`, model: 'claude-opus-4-5', role: 'assistant', usage, content: [] }
    const line = row({ type: 'assistant', uuid, parentUuid: before, requestId: 'req_1', message: said })
    appendFileSync(path, action.half ? line.slice(0, -9) : line)
  } else if (action.do === 'ask' || action.do === 'rewind') {
    const parentUuid = action.do === 'ask' ? before : null
    appendFileSync(path, row({ type: 'user', uuid, parentUuid, message: { role: 'user', content: `ask ${number}` } }))
  } else if (action.do === 'title') appendFileSync(path, row({ type: 'custom-title', customTitle: `title ${number}` }))
  else if (action.do === 'summary')
    appendFileSync(path, row({ type: 'summary', summary: `sum ${number}`, leafUuid: before }))
  else if ('to' in action) rearrange(root, action, row({ type: 'user', uuid, message: {} }))
}

const NAMED = `
select leaf from summary join log on log.id = log where state <> 'lost'
union select parent_key from fact join log on log.id = log where state <> 'lost'`

/** What an index knows of the logs that are there, row numbers aside. */
function dump(database: Database) {
  const rows = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  const ofLogs = (columns: string, table: string, order: string) =>
    rows(
      `select log.path, ${columns} from ${table} t join log on log.id = t.log where log.state <> 'lost' order by ${order}`,
    )
  return {
    logs: rows(
      `select path, session, agent, state, size, read, read_line, head_hash, tail_hash, prefix_sum from log where state <> 'lost' order by path`,
    ),
    facts: ofLogs('t.*, 0 as log', 'fact', '1'),
    summaries: ofLogs('leaf, line, text', 'summary', '1, 2, 3'),
    rows: rows("select id, path from log where state <> 'lost' order by path").map(({ id, path }) => ({
      path,
      rows: rowTablesOf(database, id as number).flatMap(({ keys, offsets, times, spent, flags }) =>
        Array.from(keys, (key, i) => [key, offsets[i], times[i], spent[i], flags[i]]),
      ),
    })),
    // What only a lost log names is still known.
    links: ofLogs('key, active', `(select * from link where key in (${NAMED}))`, '1, 2'),
    turns: ofLogs('n, key, label, started', 'turn', '1, 2'),
    responses: ofLogs(
      `message, request, offset, rows, time, written, marked, made, named, owner, seen_rows, seen_logs,
       (select l.path || c.offset from response c join log l on l.id = c.log where c.id = coalesce(t.counts, t.id)) as counts`,
      'response',
      '1, 2, 3',
    ),
    buckets: ofLogs('quarter, responses, rows, copies, output', 'bucket', '1, 2, 6, 3'),
  }
}
