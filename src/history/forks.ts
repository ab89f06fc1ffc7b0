import type { Database } from '../index/driver.ts'

/** A session that was made from another. */
export interface Fork {
  /** The session that made the last response which this one inherited; `null` where it inherited none. */
  readonly origin: string | null
  /** When its first own row was written. */
  readonly startedAt: string | null
  /** How long was worked before that, in milliseconds. */
  readonly spentMs: number
}

/** The sessions that were made from another, by the number of their log. */
export function forksIn(database: Database): ReadonlyMap<number, Fork> {
  const forks = new Map<number, Fork>()
  const firstOwn = database.prepare(FIRST_OWN)
  const spent = database.prepare(SPENT)
  for (const { log, originLog, origin, session, last_offset: end, written } of database.prepare(LAST_INHERITED).all()) {
    if (forks.has(log as number)) continue
    const first = firstOwn.get(log as number, (end as number | null) ?? -1, (originLog as number | null) ?? -1)
    // Where nothing was said in it yet, it was made when its last copy was written.
    const startedAt = (first?.time ?? written) as number | null
    forks.set(log as number, {
      origin: origin === session ? null : (origin as string | null),
      startedAt: startedAt ? new Date(startedAt).toISOString() : null,
      spentMs:
        (spent.get(log as number, (first?.offset as number | undefined) ?? Number.MAX_SAFE_INTEGER)?.spent as number) ??
        0,
    })
  }
  return forks
}

/** The last response that a session's own log holds and another owns; of a marked fork that holds none, nothing but the log. */
const LAST_INHERITED = `
select l.id as log, l.session, o.log as originLog, ol.session as origin, r.last_offset, r.written
from log l join fact f on f.log = l.id
left join response r on r.log = l.id and r.owner = 0 and r.counts is not null
left join response o on o.message = r.message and o.owner = 1 and coalesce(o.counts, o.id) = r.counts
left join log ol on ol.id = o.log
where l.agent is null and l.state <> 'lost' and (r.id is not null or f.forked_from is not null)
order by l.id, r.offset desc`

/** The first row behind it that is not marked as a copy, and that its origin does not have. */
const FIRST_OWN = `
select k.time, k.offset from row_key k where k.log = ?1 and k.offset > ?2 and k.own = 1 and k.time is not null
and not exists (select 1 from row_key t where t.key = k.key and t.log = ?3) order by k.offset limit 1`

/** The time spent up to the row before a place. */
const SPENT = 'select spent from row_key where log = ? and offset < ? order by offset desc limit 1'
