import type { Database } from './driver.ts'

/** A turn of a session: its number, with the branch behind it where that was abandoned, and what was asked. */
export interface KnownTurn {
  /** How many turns precede it in its log, by which responses name it. */
  readonly n: number
  readonly key: string
  readonly label: string | null
  /** `null` on abandoned branches. */
  readonly startedAt: string | null
}

/** The turns of each session, by the path of its log; or those of some logs. */
export function turnsByLog(database: Database, paths?: readonly string[]): ReadonlyMap<string, readonly KnownTurn[]> {
  const turns = new Map<string, KnownTurn[]>()
  const rows = paths
    ? database.prepare(`${TURNS} where path in (select value from json_each(?))${ORDER}`).all(JSON.stringify(paths))
    : database.prepare(`${TURNS}${ORDER}`).all()
  for (const row of rows) {
    const own = turns.get(row.path as string) ?? []
    own.push(row as unknown as KnownTurn)
    turns.set(row.path as string, own)
  }
  return turns
}

const TURNS = 'select path, n, key, label, started as startedAt from turn join log on log.id = turn.log'
const ORDER = ' order by log, n'
