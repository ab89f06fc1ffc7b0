import type { Holding } from '../../core/facts/owner.ts'
import type { Database, Row } from '../driver.ts'

/** A log that holds a response. */
export interface Holder {
  readonly path: string
  readonly request: string | null
  /** Why it is the owner, or is not. */
  readonly evidence: Holding
}

/** The logs that hold each of some responses, the owner first, by the key that all holdings of a response share. */
export function holdersOf(database: Database, keys: Iterable<number>): ReadonlyMap<number, readonly Holder[]> {
  const statement = database.prepare(HOLDERS)
  const holders = (key: number) =>
    statement.all(key).map((row) => {
      return { path: row.path as string, request: row.request as string | null, evidence: toHolding(row) }
    })
  return new Map(Array.from(new Set(keys), (key) => [key, holders(key)]))
}

const HOLDERS = `
select log.path, r.request, r.marked, r.made, r.written, r.named, fact.ended, fact.head
from response r join log on log.id = r.log join fact on fact.log = r.log
where coalesce(r.counts, r.id) = ? and log.state <> 'lost' order by r.owner desc, log.path`

/** The evidence of a holding, as the tables have it. */
export function toHolding({ marked, made, written, named, ended, head, path }: Row): Holding {
  return {
    isMarked: marked === 1,
    isMadeHere: made === 1,
    writtenAt: written as number,
    isNamed: named === 1,
    log: { endedAt: ended as number, head: head as string, path: path as string },
  }
}

/** A session by where its logs are. */
export interface SessionPlace {
  readonly root: string
  readonly project: string
  readonly session: string
}

/** Sessions that hold responses which other logs hold too, and all their holdings that are not marked as copies. */
export interface SharedHoldings {
  readonly sessions: readonly SessionPlace[]
  readonly unmarked: readonly (SessionPlace & { readonly key: number })[]
}

export function sharedHoldings(database: Database): SharedHoldings {
  const sessions = database.prepare(SHARING).all() as unknown as readonly SessionPlace[]
  const unmarked = sessions.length === 0 ? [] : database.prepare(UNMARKED).all()
  return { sessions, unmarked: unmarked as unknown as SharedHoldings['unmarked'] }
}

const SHARING = `
select distinct log.root, log.project, log.session from response r join log on log.id = r.log
where (r.seen_logs > 1 or r.owner = 0) and log.state <> 'lost'`

const UNMARKED = `
select log.root, log.project, log.session, coalesce(r.counts, r.id) as key from response r join log on log.id = r.log
where r.forked = 0 and log.state <> 'lost'`
