import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Database } from './driver.ts'
import { openTables } from './open.ts'
import { CHANGES, settleOwners } from './owner.ts'
import { SCHEMA, TABLES } from './schema.ts'
import { asFailure, patiently } from './trouble.ts'
import { LogWriter, whoseLog } from './write.ts'

/** What was removed from the indexes of all sets of roots. */
export interface FactsPurge {
  readonly paths: readonly string[]
  /** Another process holds one open, so that its log could not be emptied. */
  readonly isBusy: boolean
}

/** Removes every row of a session's logs from all indexes in a folder, and every byte that they left. */
export function purgeFacts(folder: string, session: string, paths: readonly string[]): FactsPurge {
  const known = new Set<string>()
  let isBusy = false
  for (const name of indexesIn(folder)) {
    const { database, path } = openTables(folder, name, TABLES)
    try {
      for (const one of patiently(() => removeRows(database, session, paths))) known.add(one)
      // What was deleted is overwritten, but where pages were put together anew.
      database.exec('vacuum')
      const [state] = database.prepare('pragma wal_checkpoint(truncate)').all()
      isBusy ||= Number(state?.busy) === 1
    } catch (error) {
      throw asFailure(error, path)
    } finally {
      database.close()
    }
  }
  return { paths: [...known], isBusy }
}

/** The logs of a session that any index in a folder knows; the session is named by its whole id. */
export function knownLogs(folder: string, session: string): readonly string[] {
  const found = indexesIn(folder).flatMap((name) => {
    const { database } = openTables(folder, name, TABLES)
    try {
      return pathsOf(database, session)
    } finally {
      database.close()
    }
  })
  return [...new Set(found)]
}

function removeRows(database: Database, session: string, paths: readonly string[]): readonly string[] {
  database.exec(CHANGES)
  const all = new Set([...pathsOf(database, session), ...paths])
  database.exec('begin immediate')
  try {
    const writer = new LogWriter(database, whoseLog)
    const forget = database.prepare("delete from sidecar where path = ?1 or path like '%' || ?2 || '%'")
    for (const path of all) {
      writer.remove(path)
      forget.run(path, session)
    }
    settleOwners(database)
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
  return [...all]
}

function pathsOf(database: Database, session: string): readonly string[] {
  return database
    .prepare('select path from log where session = ?1 or instr(path, ?1) > 0')
    .all(session)
    .map(({ path }) => path as string)
}

/** The indexes of all sets of roots; those of other schemas are no longer used, and are removed. */
function indexesIn(folder: string): readonly string[] {
  const names = list(folder).filter((name) => /^index-\d+-[0-9a-f]{12}\.db/.test(name))
  const ours = names.filter((name) => name.startsWith(`index-${SCHEMA}-`))
  for (const name of names)
    if (!ours.includes(name) || /\.damaged-/.test(name)) rmSync(join(folder, name), { force: true })
  return ours.filter((name) => basename(name).endsWith('.db'))
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
