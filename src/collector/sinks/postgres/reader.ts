import type { SearchFilter } from '../../../index/search/searched-logs.ts'
import { wordsQuery } from '../../team/searched-words.ts'
import type { FoundDoc, HeldRow, StoredDocument, StoredLog, StoreReader, WhichHeld } from '../../team/store-reader.ts'
import type { AddressDefaults } from './address.ts'
import { postgresAsker } from './ask.ts'
import { textArray } from './pg-text.ts'

const HELD = `log, message, request, model, geo, line, "offset", length, rows, time, last_offset, written, marked, forked, made, named,
  fast, input, output, cache_read, write_5m, write_1h, web_searches, turn, sidechain, abandoned, placeholder`

const RECENT = `(date_trunc('month', now()) - interval '1 month')::date`

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
      const newest = (which: string, isUncertain: boolean, query: string, limit: number) =>
        ask.json<FoundDoc>(
          `select ${columns}, ${isUncertain} as "isUncertain" from annals.found where ${which}${where}
          order by time desc nulls last limit ${limit}`,
          values,
          { 'annals.query': query },
        )
      // The last two months first: what is found there is enough as a rule, and of the others nothing has to be read.
      const inMonths = (which: string, isUncertain: boolean, query: string) => {
        const late = newest(`${which} and month >= ${RECENT}`, isUncertain, query, most)
        return late.length >= most
          ? late
          : [...late, ...newest(`${which} and month < ${RECENT}`, isUncertain, query, most - late.length)]
      }
      // Single words are found by the index for sure; whether they stand in a row, a long text has to be asked itself.
      if (words.exact === words.loose) return inMonths('true', false, words.exact)
      return [...inMonths('not is_long', false, words.exact), ...inMonths('is_long', true, words.loose)]
    },
    offsets: (log) => {
      const [row] = ask.rows('select offsets from annals.my_log where id = $1', [log])
      const bytes = (row?.offsets as Uint8Array | undefined) ?? new Uint8Array(0)
      return new Float64Array(bytes.slice().buffer)
    },
    records: (log, from, to) =>
      ask
        .rows(
          'select "offset", content from annals.my_record where log = $1 and "offset" >= $2 and "offset" < $3 order by "offset" limit 1000',
          [log, from, to],
        )
        .map(({ offset, content }) => ({ offset: Number(offset), content: content as Uint8Array })),
    document: (machine, file) => {
      const [row] = ask.rows('select content from annals.document where machine = $1 and file = $2', [machine, file])
      return row?.content as Uint8Array | undefined
    },
    close: () => ask.close(),
  }
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
