import { type Database, type SqlValue, selectAll } from '../driver.ts'

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
  const only = paths && JSON.stringify(paths)
  const some = only === undefined ? [] : [only]
  const logs = selectAll(database, { columns: ['id', 'path'], from: `log${only === undefined ? '' : CHOSEN}` }, ...some)
  const pathOf = new Map(logs.map(({ id, path }) => [id, path as string]))
  const turns = new Map<string, KnownTurn[]>()
  let own: KnownTurn[] = []
  let last: SqlValue = -1
  for (const row of selectAll(database, only === undefined ? TURNS : TURNS_OF_SOME, ...some)) {
    if (row.log !== last) {
      own = []
      last = row.log as number
      turns.set(pathOf.get(last) as string, own)
    }
    own.push(row as unknown as KnownTurn)
  }
  return turns
}

const CHOSEN = ' where path in (select value from json_each(?))'
const TURNS = { columns: ['log', 'n', 'key', 'label', 'started as startedAt'], from: 'turn', order: 'log, n' }
const TURNS_OF_SOME = { ...TURNS, from: `turn where log in (select id from log${CHOSEN})` }
