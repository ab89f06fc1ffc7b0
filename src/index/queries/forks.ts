import { OWN, type RowTable } from '../../core/facts/row-table.ts'
import type { Database, Row } from '../driver.ts'
import { rowTablesOf } from '../row-tables.ts'

/** A session that was forked from another. */
export interface Fork {
  /** The session that owns the last inherited response; `null` if it inherited none. */
  readonly origin: string | null
  /** Time of its first own row. */
  readonly startedAt: string | null
  /** Active time before that row, in milliseconds. */
  readonly spentMs: number
}

/** Forked sessions by log id: all, or those of some logs. */
export function forksIn(database: Database, logs?: readonly number[]): ReadonlyMap<number, Fork> {
  const forks = new Map<number, Fork>()
  for (const row of lastInherited(database, logs)) {
    const { log, originLog, origin, session, last_offset: end, written } = row
    if (forks.has(log as number)) continue
    const rows = rowTablesOf(database, log as number)
    const others = originLog === null ? [] : rowTablesOf(database, originLog as number)
    const first = firstOwn(rows, (end as number | null) ?? -1, others)
    // A fork without own rows was created when its last copied row was written.
    const startedAt = first?.time ?? (written as number | null)
    forks.set(log as number, {
      origin: origin === session ? null : (origin as string | null),
      startedAt: startedAt ? new Date(startedAt).toISOString() : null,
      spentMs: spentBefore(rows, first?.offset ?? Number.MAX_SAFE_INTEGER),
    })
  }
  return forks
}

/** The logs whose tree rows `forksIn` reads. */
export function logsOfForks(database: Database, logs?: readonly number[]): readonly number[] {
  const ids = lastInherited(database, logs).flatMap(({ log, originLog }) => [log, originLog])
  return [...new Set(ids)].filter((id) => id !== null) as readonly number[]
}

function lastInherited(database: Database, logs: readonly number[] | undefined): readonly Row[] {
  if (!logs) return database.prepare(`${LAST_INHERITED}${LAST_FIRST}`).all()
  const only = ' and l.id in (select value from json_each(?))'
  return database.prepare(`${LAST_INHERITED}${only}${LAST_FIRST}`).all(JSON.stringify(logs))
}

/**
 * The last response that a session's log holds and another log owns; for a marked fork without one, only the log. Starts from
 * the few inherited responses: starting from all logs takes several times as long.
 */
const LAST_INHERITED = `
select l.id as log, l.session, o.log as originLog, ol.session as origin, r.last_offset, r.written
from (
  select log, id, max(offset) from response where owner = 0 and counts is not null group by log
  union all
  select log, null, null from fact where forked_from is not null
) held
join log l on l.id = held.log
left join response r on r.id = held.id
left join response o on o.message = r.message and o.owner = 1 and coalesce(o.counts, o.id) = r.counts
left join log ol on ol.id = o.log
where l.agent is null and l.state <> 'lost'`
const LAST_FIRST = ' order by l.id, r.offset desc'

/** The first row after `end` that is not marked as a copy and that the origin does not have. */
function firstOwn(pieces: readonly RowTable[], end: number, origin: readonly RowTable[]) {
  for (const { keys, offsets, times, flags } of pieces) {
    for (let row = 0; row < keys.length; row++) {
      const [offset, time] = [offsets[row] as number, times[row] as number]
      const isOwn = ((flags[row] as number) & OWN) !== 0 && !Number.isNaN(time)
      if (offset > end && isOwn && !origin.some((one) => one.keys.includes(keys[row] as number)))
        return { offset, time }
    }
  }
  return undefined
}

/** Active time up to the row before an offset. */
function spentBefore(pieces: readonly RowTable[], place: number): number {
  let before = 0
  for (const { offsets, spent } of pieces) {
    for (let row = 0; row < offsets.length && (offsets[row] as number) < place; row++) before = spent[row] as number
  }
  return before
}
