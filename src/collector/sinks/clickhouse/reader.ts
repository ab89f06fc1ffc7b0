import { parseJson } from '../../../core/json.ts'
import type { Row } from '../../../index/driver.ts'
import { PROMPT_CLASSES } from '../../../index/owner.ts'
import type { FoundDoc } from '../../../index/search/remote-docs.ts'
import type { SearchFilter } from '../../../index/search/searched-logs.ts'
import type { StoredFacts } from '../../team/log-facts.ts'
import {
  type Columns,
  MOST_LOOKED_AT,
  NOTHING_FOUND,
  type StoredDocument,
  type StoredLog,
  type StoreReader,
  type WhichHeld,
} from '../../team/store-reader.ts'
import { clickHouseAsker } from './ask.ts'
import type { Asked, Found } from './connect.ts'
import { LogIds } from './log-ids.ts'
import { logNumber } from './log-number.ts'
import { HELD_NUMBERS } from './tables.ts'
import { wordsCondition } from './words.ts'

const HELD = `log, message, nullIf(request, '') as request, model, nullIf(geo, '') as geo, ${HELD_NUMBERS.join(', ')}, time, turn`
const PROMPT_CLASS = PROMPT_CLASSES.map((above) => `(input + cache_read + write_5m + write_1h > ${above})`).join(' + ')
const SUMMED = ['input', 'output', 'cache_read', 'write_5m', 'write_1h', 'web_searches']
/** What no other log holds. */
const ALONE = 'message not in (select message from shared)'
const QUARTER_MS = 900_000

/** Reads a ClickHouse team store. Its row policies decide which rows the reader may see. */
export function clickhouseReader(url: string, given: { readonly password?: string | undefined } = {}): StoreReader {
  const ask = clickHouseAsker(url, given)
  const ids = new LogIds()
  const withLog = <T extends { readonly log: unknown }>(rows: readonly T[]) =>
    rows.flatMap((row) => {
      const log = ids.numberOf(Number(row.log))
      return log === undefined ? [] : [{ ...row, log }]
    })
  const ofLogs = async (column: string, logs: readonly number[] | undefined) =>
    withLog(
      await ask.rows<{ log: number; text: string }>(
        `select id as log, ${column} as text from log final where has_facts${logs ? ' and id in {logs:Array(UInt64)}' : ''}`,
        logs ? { logs: ids.storedOf(logs) } : {},
      ),
    )
  const held = async (columns: string, which: WhichHeld, rest: string) => {
    const { where, values } = bounds(which, ids)
    const sql = `select ${columns} from held final where ${ALONE}${where} ${rest}`
    return columnsOf(withLog(await ask.rows<Row & { log: number }>(sql, values)))
  }
  return {
    shown: ask.shown,
    logs: async () => {
      const rows = await ask.rows(LOGS)
      ids.take(rows.map(({ id }) => Number(id)))
      return rows.map(storedLog).map((log) => ({ ...log, id: ids.numberOf(log.id) as number }))
    },
    facts: async (logs) =>
      (await ofLogs('facts', logs)).map(({ log, text }) => ({ log, facts: parseJson(text) as unknown as StoredFacts })),
    documents: async () => (await ask.rows(DOCUMENTS)).map(storedDocument),
    sidecars: () =>
      ask.rows<{ machine: string; file: string; text: string }>(
        `select machine, file, content as text from document final
        where (file like '%.meta.json' or file like '%custom-title.json') and length(content) < 65536`,
      ),
    keyHolders: async (keys) => {
      if (keys.length === 0) return []
      const sql = 'select distinct log, key from row_key where key in {keys:Array(Int64)}'
      const rows = await ask.rows<{ log: number; key: number }>(sql, { keys })
      return withLog(rows.map(({ log, key }) => ({ log, key: Number(key) })))
    },
    sharedResponses: async () => {
      const sql = `select ${HELD} from held final where message in (select message from shared) order by log, number`
      return columnsOf(withLog(await ask.rows<Row & { log: number }>(sql)))
    },
    responses: (which) => held(HELD, which, 'order by log, number'),
    sums: (which) =>
      held(
        `log, intDiv(time, ${QUARTER_MS}) as quarter, model, nullIf(geo, '') as geo, fast, ${PROMPT_CLASS} as prompt_class, sidechain, abandoned,
        count() as responses, sum(rows) as rows, sum(placeholder) as placeholders,
        ${SUMMED.map((name) => `sum(${name}) as ${name}`).join(', ')}`,
        which,
        'group by log, quarter, model, geo, fast, prompt_class, sidechain, abandoned',
      ),
    turns: (logs) => ofLogs('turns', logs),
    calls: (logs) => ofLogs('calls', logs),
    trees: async (logs) =>
      (await ofLogs('tree', logs)).map(({ log, text }) => ({ log, packed: Buffer.from(text, 'base64') })),
    find: async (query, filter, logs, most) => {
      const words = wordsCondition(query)
      if (!words) return NOTHING_FOUND
      const { where, values } = filtered(filter, logs && ids.storedOf(logs))
      const given = { ...words.values, ...values }
      const newest = (columns: string, limit: number) =>
        `select ${columns} from doc final where ${words.sql}${where} order by time desc nulls last limit ${limit}`
      const hits = newest('log, time, copy', MOST_LOOKED_AT)
      const [docs, counts, total] = await Promise.all([
        ask.rows(newest('log, line, offset, length, time, role, kind, copy', most), given),
        ask.rows<{ log: number; count: number; newest: number | null }>(
          `select log, uniqExact(copy) as count, max(time) as newest from (${hits}) group by log order by log`,
          given,
        ),
        ask.rows(`select uniqExact(copy, if(copy < 0, log, 0)) as total from (${hits})`, given),
      ])
      return {
        docs: withLog(docs.map(foundDoc)),
        counts: withLog(counts).map(({ log, count, newest: at }) => ({
          log,
          count: Number(count),
          newestMs: at === null ? null : Number(at),
        })),
        total: Number(total[0]?.total),
      }
    },
    offsets: async (logs) => {
      const sql = 'select id as log, offsets from log final where id in {logs:Array(UInt64)}'
      const rows = await ask.rows<{ log: number; offsets: readonly (number | string)[] }>(sql, {
        logs: ids.storedOf(logs),
      })
      return withLog(rows).map(({ log, offsets }) => ({ log, offsets: Float64Array.from(offsets, Number) }))
    },
    records: async (log, from, to) => {
      const rows = await ask.rows(
        `select offset, content from record final where (machine, file, generation) in (
          select machine, file, generation from log final where id in {logs:Array(UInt64)})
        and offset >= {from:UInt64} and offset < {to:UInt64} order by offset limit 1000`,
        { logs: ids.storedOf([log]), from, to },
      )
      return rows.map(({ offset, content }) => ({ offset: Number(offset), content: Buffer.from(String(content)) }))
    },
    recordsAt: async (asked) => {
      const places = asked.flatMap(({ log, offset }) => ids.storedOf([log]).map((id) => ({ id, offset })))
      const rows = await ask.rows(
        `select machine, file, offset, content from record final where (machine, file, generation, offset) in (
          select machine, file, generation, p.at.2 from log final join (
            select arrayJoin(arrayZip({logs:Array(UInt64)}, {offsets:Array(UInt64)})) as at) p on p.at.1 = id)`,
        { logs: places.map(({ id }) => id), offsets: places.map(({ offset }) => offset) },
      )
      return withLog(
        rows.map(({ machine, file, offset, content }) => ({
          log: logNumber(String(machine), String(file)),
          offset: Number(offset),
          content: Buffer.from(String(content)),
        })),
      )
    },
    document: async (machine, file) => {
      const [row] = await ask.rows(
        'select content from document final where machine = {machine:String} and file = {file:String}',
        { machine, file },
      )
      return row && Buffer.from(String(row.content))
    },
    close: () => ask.close(),
  }
}

const LOGS = `select id, machine, file, place, generation, reached, bytes, records, has_facts,
  has_facts and position(facts, '"summaries":[{') > 0 as has_summaries, nullIf(toUnixTimestamp64Milli(last_at), 0) as last_at
  from log final order by machine, file`
const DOCUMENTS = `select machine, file, length(content) as bytes, content_hash as hash,
  nullIf(toUnixTimestamp64Milli(modified_at), 0) as modified_at from document final`

/** Rows column by column. */
function columnsOf(rows: readonly Row[]): Columns {
  return Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, rows.map((row) => row[name] ?? null)]))
}

function storedDocument(found: Found): StoredDocument {
  return {
    machine: String(found.machine),
    file: String(found.file),
    bytes: Number(found.bytes),
    modifiedAt: found.modified_at === null ? null : Number(found.modified_at),
    hash: String(found.hash),
  }
}

function storedLog(found: Found): StoredLog {
  return {
    id: Number(found.id),
    machine: String(found.machine),
    file: String(found.file),
    place: String(found.place),
    generation: Number(found.generation),
    reached: Number(found.reached),
    bytes: Number(found.bytes),
    records: Number(found.records),
    lastAt: found.last_at === null ? null : Number(found.last_at),
    hasFacts: Boolean(Number(found.has_facts)),
    hasSummaries: Boolean(Number(found.has_summaries)),
  }
}

function foundDoc(found: Found): FoundDoc {
  return {
    log: Number(found.log),
    line: Number(found.line),
    offset: Number(found.offset),
    length: Number(found.length),
    time: found.time === null ? null : Number(found.time),
    role: String(found.role),
    kind: String(found.kind),
    copy: Number(found.copy),
  }
}

function bounds(
  { since, logs = [], only }: WhichHeld,
  ids: LogIds,
): { readonly where: string; readonly values: Asked } {
  if (only) return { where: ' and log in {logs:Array(UInt64)}', values: { logs: ids.storedOf(only) } }
  if (since === undefined) return { where: '', values: {} }
  return {
    where: ' and (time >= {since:Int64} or log in {logs:Array(UInt64)})',
    values: { since: Math.floor(since) - QUARTER_MS, logs: ids.storedOf(logs) },
  }
}

function filtered(
  filter: SearchFilter,
  logs: readonly number[] | undefined,
): { readonly where: string; readonly values: Asked } {
  const parts: string[] = []
  const values: Record<string, string | number | readonly number[]> = {}
  const add = (sql: string, name: string, value: string | number | readonly number[] | undefined) => {
    if (value === undefined) return
    values[name] = value
    parts.push(` and ${sql}`)
  }
  add('log in {logs:Array(UInt64)}', 'logs', logs)
  add('time >= {since:Int64}', 'since', filter.sinceMs === undefined ? undefined : Math.ceil(filter.sinceMs))
  add('time < {until:Int64}', 'until', filter.untilMs === undefined ? undefined : Math.ceil(filter.untilMs))
  add('role = {role:String}', 'role', filter.role)
  add('kind = {kind:String}', 'kind', filter.kind)
  add('lowerUTF8(tool) = lowerUTF8({tool:String})', 'tool', filter.tool)
  add('position(model, {model:String}) > 0', 'model', filter.model)
  add('branch = {branch:String}', 'branch', filter.gitBranch)
  add('position(target, {file:String}) > 0', 'file', filter.file)
  if (filter.error) parts.push(' and is_error')
  return { where: parts.join(''), values }
}
