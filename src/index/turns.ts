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

/** The turns of each session, by the path of its log. */
export function turnsByLog(database: Database): ReadonlyMap<string, readonly KnownTurn[]> {
  const turns = new Map<string, KnownTurn[]>()
  for (const row of database.prepare(TURNS).all()) {
    const own = turns.get(row.path as string) ?? []
    own.push(row as unknown as KnownTurn)
    turns.set(row.path as string, own)
  }
  return turns
}

const TURNS = 'select path, n, key, label, started as startedAt from turn join log on log.id = turn.log order by log, n'
