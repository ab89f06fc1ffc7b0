import { RESPONSE_NUMBERS } from '../../../core/facts/response-rows.ts'
import { parseJson } from '../../../core/json.ts'
import type { Columns } from '../../../index/driver.ts'
import type { FoundDoc, FoundElsewhere } from '../../../index/search/found-docs.ts'
import { MOST_COUNTED } from '../../../index/search/matching-docs.ts'
import type { SearchFilter } from '../../../index/search/searched-logs.ts'
import { wordsQuery } from '../../team/searched-words.ts'
import { inARow, spacedCondition } from '../../team/spaced-words.ts'
import {
  FEW_LOGS,
  MOST_LOOKED_AT,
  NOTHING_FOUND,
  type StoredDocument,
  type StoredLog,
  type StoreReader,
  type WhichHeld,
} from '../../team/store-reader.ts'
import type { AddressDefaults } from './address.ts'
import { type AnsweredRow, postgresAsker } from './ask.ts'
import { cleanText, textArray } from './pg-text.ts'

const HELD = ['log', 'message', 'request', 'model', 'geo', ...RESPONSE_NUMBERS]
/** In one order: fractions of a cent add up to others in another. */
const SUM_KEYS = ['log', 'quarter', 'model', 'geo', 'fast', 'prompt_class', 'sidechain', 'abandoned']
const SUMS = [
  ...SUM_KEYS,
  ...['responses', 'rows', 'placeholders', 'input', 'output', 'cache_read', 'write_5m', 'write_1h', 'web_searches'],
]

const LISTED = [
  ...['id', 'machine', 'file', 'place', 'generation', 'reached', 'bytes', 'records', 'lastAt', 'hasFacts'],
  'hasSummaries',
]
const LOGS = `select id, machine, file, place, generation, reached, bytes, records,
  floor(extract(epoch from coalesce(last_at, arrived_at)) * 1000)::bigint as "lastAt", facts is not null as "hasFacts",
  coalesce(position('"summaries":[{' in facts) > 0, false) as "hasSummaries" from annals.my_log order by id`
/** As JSON, so that they are read together with all else. */
const FACTS = 'select id as log, facts::json as facts from annals.my_log where facts is not null'
const DOCUMENTS = `select machine, file, length(content) as bytes, content_hash as hash,
  floor(extract(epoch from modified_at) * 1000)::bigint as "modifiedAt" from annals.document`
const FOUND = 'log, line, "offset", length, time, role, kind, copy'
const SIDECARS = `select machine, file, content from annals.document
  where (file like '%.meta.json' or file like '%custom-title.json') and length(content) < 65536`
const SHARED = `select ${quotedNames(HELD)} from annals.my_held where shared`

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
  // Whoever opens a store begins with these.
  ask.columnsAhead(LISTED, LOGS)
  ask.jsonAhead(DOCUMENTS)
  /** Where the parts begin that a search looks through one after the other. */
  let starts: readonly number[] | undefined = []
  let isFirst = true
  return {
    shown: ask.shown,
    logs: () => {
      // Asked again: what was sent ahead is of before.
      if (!isFirst) ask.forgetAhead()
      isFirst = false
      const logs = storedLogs(ask.columns(LISTED, LOGS))
      starts = partStarts(logs)
      if (logs.length <= FEW_LOGS) ask.jsonAhead(FACTS)
      return logs
    },
    facts: (logs) =>
      logs ? ask.sendJson(`${FACTS} and id = any ($1::bigint[])`, [listOf(logs)]) : ask.sendJson(FACTS),
    documents: () => ask.json<StoredDocument>(DOCUMENTS),
    sidecars: () =>
      ask.rows(SIDECARS).map(({ machine, file, content }) => ({
        machine: String(machine),
        file: String(file),
        text: Buffer.from(content as Uint8Array).toString(),
      })),
    keyHolders: (keys) =>
      keys.length === 0 ? [] : ask.json('select log, key from annals.key_holder', [], { 'annals.keys': listOf(keys) }),
    sharedResponses: () => ask.columns(HELD, SHARED),
    responses: (which, columns = HELD) => {
      const { where, values } = bounds(which)
      const rows = `select ${quotedNames(columns)} from annals.my_held where not shared${where}`
      // Whoever asks for some time puts them into the order of their times.
      return ask.columns(columns, which.since === undefined ? `${rows} order by log, number` : rows, values)
    },
    sums: (which) => {
      const { where, values } = quarters(which)
      return ask.columns(SUMS, `select ${SUMS} from annals.my_sum where ${where} order by ${SUM_KEYS}`, values)
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
      if (!words) return () => NOTHING_FOUND
      // What was found is told with whose copy it is and what its session is called: these are short answers, and are worked on meanwhile.
      ask.columnsAhead(HELD, SHARED)
      ask.rowsAhead(SIDECARS)
      const { where, values } = filtered(filter, logs)
      const send = (which: string, query: string, { more = [] as readonly string[], isBeside = true } = {}) =>
        foundBy(
          ask.send({
            text: countedAndListed(
              newestFirst(starts, (part) => `select ${FOUND} from annals.found where ${which}${part}${where}`),
              most,
            ),
            values: [...values, ...more],
            settings: { 'annals.query': query, work_mem: '64MB' },
            isBeside,
          }),
        )
      // Single words are found by the index for sure; whether they stand in a row, a long text has to be asked itself.
      if (words.exact === words.loose) return send('true', words.exact)
      const rows: string[] = []
      const inText = spacedCondition(query, (column, sought, isPrefix) => {
        const at = values.length + rows.push(cleanText(inARow(sought, isPrefix)))
        return `position($${at} in ${column === 'words' ? 'spaced' : 'spaced_parts'}) > 0`
      })
      const inShort = send('not is_long', words.exact)
      const inLong = send(`is_long and (spaced is null or ${inText})`, words.loose, { more: rows, isBeside: false })
      return () => both(inShort(), inLong())
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

/**
 * So many records, the newest, are looked through before others are: what is found often is found in these. Of what every record has, no more
 * is read than is looked at, and a little that no part begins for the last of it.
 */
const PARTS = [50_000, 1.1 * MOST_LOOKED_AT, 3 * MOST_LOOKED_AT]

/** When the newest records begin, for each part of them that is much less than all, by when logs ended; none where all can be looked at. */
function partStarts(logs: readonly StoredLog[]): readonly number[] | undefined {
  const all = logs.reduce((sum, { records }) => sum + records, 0)
  if (all <= MOST_LOOKED_AT) return undefined
  const latest = logs.map(({ lastAt, records }) => ({ at: lastAt ?? 0, records })).sort((a, b) => b.at - a.at)
  return PARTS.filter((most) => all > 2 * most).map((most) => {
    let seen = 0
    for (const { at, records } of latest) {
      seen += records
      if (seen >= most) return at
    }
    return 0
  })
}

/**
 * The newest rows of a query, or all, whose conditions on times hold for every doc once, as many as are looked at. One part is read after the other,
 * until there are enough. The month lets partitions be passed over.
 */
function newestFirst(starts: readonly number[] | undefined, within: (part: string) => string): string {
  if (!starts) return within('')
  const before = (ms: number | undefined) =>
    ms === undefined ? '' : ` and time < ${ms} and month <= annals.month_of(${ms})`
  const parts = starts.map((ms, i) => ` and time >= ${ms} and month >= annals.month_of(${ms})${before(starts[i - 1])}`)
  const last = starts.at(-1)
  const rest = last === undefined ? '' : ` and (time < ${last} or time is null) and month <= annals.month_of(${last})`
  const asked = [...parts, rest].map((part) => `(${within(part)} order by -time nulls last limit ${MOST_LOOKED_AT})`)
  return `select * from (${asked.join(' union all ')}) parts limit ${MOST_LOOKED_AT}`
}

/**
 * How many there are in each log and in all, each message once and as far as that is told, and so many of the newest. Thousands of docs come as one list of numbers for
 * each role and kind. Rows without an id are copies only within their log.
 */
function countedAndListed(text: string, most: number): string {
  const numbers = `concat_ws(',', log, line, "offset", length, coalesce(time::text, 'null'), copy)`
  const distinct = (some: string) =>
    `(select count(*) from (select from ${some} group by copy, case when copy < 0 then log end) t)`
  // What is more than is told need not be counted to its end.
  const first = distinct(`(select copy, log from hits limit ${3 * MOST_COUNTED}) first`)
  return `with hits as materialized (${text})
    select case when ${first} > ${MOST_COUNTED} then ${MOST_COUNTED + 1} else ${distinct('hits')} end as total,
      (select json_agg(json_build_array(log, count, newest))::text from (
        select log, count(distinct copy) as count, max(time) as newest from hits group by log order by log) t) as counts,
      (select json_agg(json_build_array(role, kind, numbers))::text from (
        select role, kind, '[' || string_agg(${numbers}, ',') || ']' as numbers from (
          select * from hits order by -time nulls last limit ${most}) t group by role, kind) t) as lists`
}

function foundBy(answer: () => readonly AnsweredRow[]): () => FoundElsewhere {
  return () => {
    const [row] = answer()
    const counts = parseJson(String(row?.counts ?? '[]')) as unknown as readonly [number, number, number | null][]
    const lists = parseJson(String(row?.lists ?? '[]')) as unknown as readonly [string, string, string][]
    return {
      total: Number(row?.total),
      counts: counts.map(([log, count, newestMs]) => ({ log, count, newestMs })),
      docs: lists.flatMap(docsOf),
    }
  }
}

/** One after the other, and nothing made but the docs: there are thousands. */
function docsOf([role, kind, text]: readonly [string, string, string]): readonly FoundDoc[] {
  const numbers = parseJson(text) as unknown as readonly number[]
  const docs: FoundDoc[] = []
  for (let at = 0; at < numbers.length; at += 6)
    docs.push({
      log: numbers[at] as number,
      line: numbers[at + 1] as number,
      offset: numbers[at + 2] as number,
      length: numbers[at + 3] as number,
      time: numbers[at + 4] as number,
      role,
      kind,
      copy: numbers[at + 5] as number,
    })
  return docs
}

/** What was found in short texts and in long ones: no message is both. */
function both(short: FoundElsewhere, long: FoundElsewhere): FoundElsewhere {
  const counts = new Map(short.counts.map((one) => [one.log, one]))
  for (const { log, count, newestMs } of long.counts) {
    const known = counts.get(log)
    const newest = Math.max(newestMs ?? -1, known?.newestMs ?? -1)
    counts.set(log, { log, count: count + (known?.count ?? 0), newestMs: newest === -1 ? null : newest })
  }
  return {
    total: short.total + long.total,
    counts: [...counts.values()].sort((a, b) => a.log - b.log),
    docs: [...short.docs, ...long.docs],
  }
}

/** Field by field: made of their names, thousands take ten times as long. */
function storedLogs({ id = [], machine = [], file = [], place = [], ...rest }: Columns): readonly StoredLog[] {
  const {
    generation = [],
    reached = [],
    bytes = [],
    records = [],
    lastAt = [],
    hasFacts = [],
    hasSummaries = [],
  } = rest
  return id.map((_, nth) => ({
    id: Number(id[nth]),
    machine: String(machine[nth]),
    file: String(file[nth]),
    place: String(place[nth]),
    generation: Number(generation[nth]),
    reached: Number(reached[nth]),
    bytes: Number(bytes[nth]),
    records: Number(records[nth]),
    lastAt: lastAt[nth] === null ? null : Number(lastAt[nth]),
    hasFacts: Boolean(hasFacts[nth]),
    hasSummaries: Boolean(hasSummaries[nth]),
  }))
}

function quotedNames(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
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
