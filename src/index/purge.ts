import type { Database } from './driver.ts'
import { unmarkListing } from './listing-mark.ts'
import { indexesIn, openTables, removeIndex, removeOldIndexes } from './open.ts'
import { asFailure, patiently } from './trouble.ts'
import { LogWriter, logOwner } from './write.ts'

/** What was removed from the indexes of all sets of roots. */
export interface IndexPurge {
  readonly paths: readonly string[]
  readonly files: number
  /** Records that could be found. */
  readonly records: number
  /** Older and damaged indexes, which held everything too. */
  readonly indexesRemoved: number
  /** Another process holds one open, so that its log could not be emptied. */
  readonly isBusy: boolean
}

/**
 * Removes every row of a session's logs from all indexes in a folder, and every byte that they left: the words are merged anew without
 * them, and the pages and the write-ahead log are written anew.
 */
export function purgeIndexes(folder: string, session: string, paths: readonly string[]): IndexPurge {
  const { used, damaged } = indexesIn(folder)
  for (const name of damaged) removeIndex(folder, name)
  const sum = { paths: new Set<string>(), files: 0, records: 0, isBusy: false }
  for (const name of used) {
    const { database, path } = openTables(folder, name)
    try {
      database.exec('pragma secure_delete = on')
      const removed = patiently(() => removeRows(database, session, paths))
      for (const one of removed.paths) sum.paths.add(one)
      sum.files += removed.files
      sum.records += removed.records
      database.exec("insert into words (words) values ('optimize')")
      // What was deleted is overwritten, but where pages were put together anew.
      database.exec('vacuum')
      const [state] = database.prepare('pragma wal_checkpoint(truncate)').all()
      sum.isBusy ||= Number(state?.busy) === 1
    } catch (error) {
      throw asFailure(error, path)
    } finally {
      database.close()
    }
  }
  return { ...sum, paths: [...sum.paths], indexesRemoved: damaged.length + removeOldIndexes(folder) }
}

/** The logs of a session that any index in a folder knows; the session is named by its whole id. */
export function knownLogs(folder: string, session: string): readonly string[] {
  const found = indexesIn(folder).used.flatMap((name) => {
    const { database } = openTables(folder, name)
    try {
      return pathsOf(database, session)
    } finally {
      database.close()
    }
  })
  return [...new Set(found)]
}

function removeRows(database: Database, session: string, paths: readonly string[]) {
  const all = new Set([...pathsOf(database, session), ...paths])
  const count = (table: string) => database.prepare(`select count(*) as count from ${table}`).get()?.count as number
  database.exec('begin immediate')
  try {
    unmarkListing(database)
    const [logs, docs] = [count('log'), count('doc')]
    const writer = new LogWriter(database, logOwner)
    const forget = database.prepare("delete from sidecar where path = ?1 or path like '%' || ?2 || '%'")
    for (const path of all) {
      writer.remove(path)
      forget.run(path, session)
    }
    writer.settle()
    database.exec(UNUSED_NAMES)
    const removed = { paths: [...all], files: logs - count('log'), records: docs - count('doc') }
    database.exec('commit')
    return removed
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}

/** Paths and branches are words of a session too. */
const UNUSED_NAMES = `delete from name where not exists (select 1 from (
  select role as id from doc union select kind from doc union select tool from doc union select model from doc union select branch from doc
  union select target from doc union select tool from call union select target from call union select model from response
  union select geo from response union select model from bucket union select geo from bucket) used where used.id = name.id)`

function pathsOf(database: Database, session: string): readonly string[] {
  return database
    .prepare('select path from log where session = ?1 or instr(path, ?1) > 0')
    .all(session)
    .map(({ path }) => path as string)
}
