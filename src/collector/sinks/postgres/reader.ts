import type { SearchFilter } from '../../../index/search/searched-logs.ts'
import { wordsQuery } from '../../team/searched-words.ts'
import { inARow, spacedCondition } from '../../team/spaced-words.ts'
import type { FoundDoc, HeldRow, StoredDocument, StoredLog, StoreReader, WhichHeld } from '../../team/store-reader.ts'
import type { AddressDefaults } from './address.ts'
import { postgresAsker } from './ask.ts'
import { cleanText, textArray } from './pg-text.ts'

const HELD = `log, message, request, model, geo, line, "offset", length, rows, time, last_offset, written, marked, forked, made, named,
  fast, input, output, cache_read, write_5m, write_1h, web_searches, turn, sidechain, abandoned, placeholder`

/** Asks a PostgreSQL what a history needs. Which rows there are for whoever asks, the views of the store say. */
export function postgresReader(url: string, defaults: AddressDefaults = {}): StoreReader {
  const ask = postgresAsker(url, defaults)
  const ofLogs = (column: string, logs: readonly number[] | undefined) => {
    const only = logs ? ` and id = any ($1::bigint[])` : ''
    return ask.json<{ log: number; text: string }>(
      `select id as log, ${column} as text from annals.my_log where ${column} is not null${only}`,
      logs ? [listOf(logs)] : [],
    )
  }
  return {
    shown: ask.shown,
    logs: () =>
      ask.json<StoredLog>(`select id, machine, file, place, generation, reached, bytes, records, facts,
        floor(extract(epoch from coalesce(last_at, arrived_at)) * 1000)::bigint as "lastAt" from annals.my_log order by id`),
    documents: () =>
      ask.json<StoredDocument>(`select machine, file, length(content) as bytes, content_hash as hash,
        floor(extract(epoch from modified_at) * 1000)::bigint as "modifiedAt" from annals.document`),
    sidecars: () =>
      ask
        .rows(
          `select machine, file, content from annals.document
          where (file like '%.meta.json' or file like '%custom-title.json') and length(content) < 65536`,
        )
        .map(({ machine, file, content }) => ({
          machine: String(machine),
          file: String(file),
          text: Buffer.from(content as Uint8Array).toString(),
        })),
    keyHolders: (keys) =>
      keys.length === 0 ? [] : ask.json('select log, key from annals.key_holder', [], { 'annals.keys': listOf(keys) }),
    sharedResponses: () => ask.json<HeldRow>(`select ${HELD} from annals.my_held where shared`),
    responses: (which) => {
      const { where, values } = bounds(which)
      return ask.json<HeldRow>(
        `select ${HELD} from annals.my_held where not shared${where} order by log, number`,
        values,
      )
    },
    sums: (which) => {
      const { where, values } = quarters(which)
      // In one order: fractions of a cent add up to others in another.
      const order = 'log, quarter, model, geo, fast, prompt_class, sidechain, abandoned'
      return ask.json(`select *, 0 as copies from annals.my_sum where ${where} order by ${order}`, values)
    },
    turns: (logs) => ofLogs('turns', logs),
    calls: (logs) => ofLogs('calls', logs),
    trees: (logs) =>
      ask
        .rows(
          `select id, tree from annals.my_log where tree is not null${logs ? ' and id = any ($1::bigint[])' : ''}`,
          logs ? [listOf(logs)] : [],
        )
        .map(({ id, tree }) => ({ log: Number(id), packed: tree as Uint8Array })),
    find: (query, filter, logs, most) => {
      const words = wordsQuery(query)
      if (!words) return []
      const { where, values } = filtered(filter, logs)
      const columns = `log, line, "offset", length, time, role, kind, tool, model, branch, target, is_error as "isError", copy`
      const windows = newestFirst(Number(ask.rows('select annals.newest_time() as newest')[0]?.newest))
      const newest = (which: string, query: string, more: readonly string[] = []) => {
        const found: FoundDoc[] = []
        for (const window of windows) {
          if (found.length >= most) break
          const sql = `select ${columns} from annals.found where ${which} and ${window}${where}
            order by -time nulls last limit ${most - found.length}`
          found.push(...ask.json<FoundDoc>(sql, [...values, ...more], { 'annals.query': query }))
        }
        return found
      }
      // Single words are found by the index for sure; whether they stand in a row, a long text has to be asked itself.
      if (words.exact === words.loose) return newest('true', words.exact)
      const rows: string[] = []
      const inText = spacedCondition(query, (column, sought, isPrefix) => {
        const at = values.length + rows.push(cleanText(inARow(sought, isPrefix)))
        return `position($${at} in ${column === 'words' ? 'spaced' : 'spaced_parts'}) > 0`
      })
      const inLong = newest(`is_long and (spaced is null or ${inText})`, words.loose, rows)
      return [...newest('not is_long', words.exact), ...inLong]
    },
    offsets: (logs) =>
      ask
        .rows('select id, offsets from annals.my_log where offsets is not null and id = any ($1::bigint[])', [
          listOf(logs),
        ])
        .map(({ id, offsets }) => ({
          log: Number(id),
          offsets: new Float64Array((offsets as Uint8Array).slice().buffer),
        })),
    records: (log, from, to) =>
      ask
        .rows(
          'select "offset", content from annals.my_record where log = $1 and "offset" >= $2 and "offset" < $3 order by "offset" limit 1000',
          [log, from, to],
        )
        .map(({ offset, content }) => ({ offset: Number(offset), content: content as Uint8Array })),
    recordsAt: (places) =>
      ask
        .rows('select log, "offset", content from annals.record_at', [], {
          'annals.logs': listOf(places.map(({ log }) => log)),
          'annals.offsets': listOf(places.map(({ offset }) => offset)),
        })
        .map(({ log, offset, content }) => ({
          log: Number(log),
          offset: Number(offset),
          content: content as Uint8Array,
        })),
    document: (machine, file) => {
      const [row] = ask.rows('select content from annals.document where machine = $1 and file = $2', [machine, file])
      return row?.content as Uint8Array | undefined
    },
    close: () => ask.close(),
  }
}

/** A day, a week, two months, and all before: what is found often is found in the first, and nothing else has to be read. */
const WINDOWS_MS = [1, 7, 60].map((days) => days * 86_400_000)

/** Conditions on times, the latest first, that hold for every doc once. The month lets partitions be passed over. */
function newestFirst(newest: number): readonly string[] {
  const starts = WINDOWS_MS.map((ms) => newest - ms)
  const after = (ms: number) => `time >= ${ms} and month >= annals.month_of(${ms})`
  const before = (ms: number | undefined) =>
    ms === undefined ? '' : `time < ${ms} and month <= annals.month_of(${ms}) and `
  const last = starts.at(-1) as number
  return [
    ...starts.map((start, i) => before(starts[i - 1]) + after(start)),
    `(time < ${last} or time is null) and month <= annals.month_of(${last})`,
  ]
}

function listOf(values: readonly (number | string)[]): string {
  return textArray(values.map(String))
}

function bounds({ since, logs = [], only }: WhichHeld): {
  readonly where: string
  readonly values: readonly unknown[]
} {
  if (only) return { where: ' and log = any ($1::bigint[])', values: [listOf(only)] }
  if (since === undefined) return { where: '', values: [] }
  const from = Math.floor(since) - 900_000
  // The month lets partitions be passed over.
  const where = ' and ((time >= $1 and month >= annals.month_of($1)) or log = any ($2::bigint[]))'
  return logs.length > 0
    ? { where, values: [from, listOf(logs)] }
    : { where: ' and time >= $1 and month >= annals.month_of($1)', values: [from] }
}

/** The same for sums: the quarter in which it begins is whole. */
function quarters({ since, logs = [], only }: WhichHeld): {
  readonly where: string
  readonly values: readonly unknown[]
} {
  if (only) return { where: 'log = any ($1::bigint[])', values: [listOf(only)] }
  if (since === undefined) return { where: 'true', values: [] }
  const from = Math.floor(since / 900_000) - 1
  return { where: '(quarter >= $1 or log = any ($2::bigint[]))', values: [from, listOf(logs)] }
}

function filtered(filter: SearchFilter, logs: readonly number[] | undefined) {
  const parts: string[] = []
  const values: unknown[] = []
  const add = (sql: string, value: unknown) => {
    if (value === undefined) return
    values.push(value)
    parts.push(` and ${sql.replaceAll('?', `$${values.length}`)}`)
  }
  add('log = any (?::bigint[])', logs && listOf(logs))
  add('time >= ? and month >= annals.month_of(?)', filter.sinceMs)
  add('time < ?', filter.untilMs)
  add('role = ?', filter.role)
  add('kind = ?', filter.kind)
  add('lower(tool) = lower(?)', filter.tool)
  add('position(? in model) > 0', filter.model)
  add('branch = ?', filter.gitBranch)
  add('position(? in target) > 0', filter.file)
  if (filter.error) parts.push(' and is_error')
  return { where: parts.join(''), values }
}
