import { parseJson } from '../../../core/json.ts'
import { MOST_COUNTED } from '../../../index/search/matching-docs.ts'
import type { FoundDoc, RemoteHits } from '../../../index/search/remote-docs.ts'
import type { SearchFilter } from '../../../index/search/searched-logs.ts'
import { MOST_LOOKED_AT, type StoredLog } from '../../team/store-reader.ts'
import type { AnsweredRow } from './ask.ts'
import { listOf } from './pg-text.ts'

/**
 * So many records, the newest, are looked through before others are: what is found often is found in these. Of what every record has, no more
 * is read than is looked at, and a little that no part begins for the last of it.
 */
const PARTS = [50_000, 1.1 * MOST_LOOKED_AT, 3 * MOST_LOOKED_AT]

/** When the newest records begin, for each part of them that is much less than all, by when logs ended; none where all can be looked at. */
export function partStarts(logs: readonly StoredLog[]): readonly number[] | undefined {
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
export function newestFirst(starts: readonly number[] | undefined, within: (part: string) => string): string {
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
export function countedAndListed(text: string, most: number): string {
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

/** The hits in the answer to a search. */
export function hitsIn([row]: readonly AnsweredRow[]): RemoteHits {
  const counts = parseJson(String(row?.counts ?? '[]')) as unknown as readonly [number, number, number | null][]
  const lists = parseJson(String(row?.lists ?? '[]')) as unknown as readonly [string, string, string][]
  return {
    total: Number(row?.total),
    counts: counts.map(([log, count, newestMs]) => ({ log, count, newestMs })),
    docs: lists.flatMap(docsOf),
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
export function both(short: RemoteHits, long: RemoteHits): RemoteHits {
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

/** The conditions of a search besides its words, and their values. */
export function filtered(filter: SearchFilter, logs: readonly number[] | undefined) {
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
