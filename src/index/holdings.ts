import type { Holding } from '../core/facts/owner.ts'
import type { Database, Row } from './driver.ts'

/** A log that holds a response. */
export interface Holder {
  readonly path: string
  readonly request: string | null
  /** Why it is the owner, or is not. */
  readonly evidence: Holding
}

/** The logs that hold a response, the owner's first, asked by what all holdings of it are known by. */
export function holdersOf(database: Database): (key: number) => readonly Holder[] {
  const held = database.prepare(HOLDERS)
  return (key) =>
    held.all(key).map((row) => {
      return { path: row.path as string, request: row.request as string | null, evidence: toHolding(row) }
    })
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

/** The responses that a log holds and another owns, by what all holdings of each are known by. */
export function inheritedBy(database: Database, path: string): ReadonlySet<number> {
  return new Set(
    database
      .prepare(INHERITED)
      .all(path)
      .map(({ key }) => key as number),
  )
}

const INHERITED = `
select coalesce(r.counts, r.id) as key from response r join log on log.id = r.log where r.owner = 0 and log.path = ?`

/** A session by where its logs lie. */
export interface SessionPlace {
  readonly root: string
  readonly project: string
  readonly session: string
}

/** Sessions that hold what others hold too. */
export function sharingSessions(database: Database): readonly SessionPlace[] {
  return database.prepare(SHARED).all() as unknown as readonly SessionPlace[]
}

const SHARED = `
select distinct log.root, log.project, log.session from response r join log on log.id = r.log
where (r.seen_logs > 1 or r.owner = 0) and log.state <> 'lost'`

/** Which session holds which response, what is marked as a copy left out. */
export function unmarkedHoldings(database: Database): readonly (SessionPlace & { readonly key: number })[] {
  return database.prepare(HOLDINGS).all() as unknown as readonly (SessionPlace & { readonly key: number })[]
}

const HOLDINGS = `
select log.root, log.project, log.session, coalesce(r.counts, r.id) as key from response r join log on log.id = r.log
where r.forked = 0 and log.state <> 'lost'`
