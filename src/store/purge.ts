import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../index/driver.ts'
import { asFailure, patiently } from '../index/trouble.ts'
import { openIndex } from './index-file.ts'
import { SCHEMA } from './schema.ts'

/** What is to be forgotten: a session by its id, and files by their paths. */
export interface Forgotten {
  readonly session: string
  readonly paths: readonly string[]
}

/** What was removed from the index. */
export interface IndexPurge {
  readonly files: number
  readonly records: number
  /** All that was forgotten, also of roots that are not read now. */
  readonly paths: readonly string[]
  /** Older and damaged indexes, which held everything too. */
  readonly indexesRemoved: number
  /** Another process holds the index open, so that its log could not be emptied. */
  readonly isBusy: boolean
}

/**
 * Removes every row of some files from the index in a folder, and every byte that they left: SQLite overwrites what is deleted,
 * the words are merged anew without them, and the write-ahead log is emptied.
 */
export function purgeIndex(folder: string, forgotten: Forgotten): IndexPurge {
  const indexesRemoved = removeOthers(folder)
  const { database, path } = openIndex(folder)
  try {
    const removed = patiently(() => removeRows(database, forgotten))
    database.exec("insert into words (words) values ('optimize')")
    const [state] = database.prepare('pragma wal_checkpoint(truncate)').all()
    return { ...removed, indexesRemoved, isBusy: Number(state?.busy) === 1 }
  } catch (error) {
    throw asFailure(error, path)
  } finally {
    database.close()
  }
}

function removeRows(database: Database, { session, paths }: Forgotten) {
  database.exec('begin immediate')
  try {
    const ids = new Set<number>()
    const byPath = database.prepare('select id from file where path = ?')
    for (const path of paths) for (const { id } of byPath.all(path)) ids.add(Number(id))
    for (const { id } of database.prepare('select id from file where session = ?').all(session)) ids.add(Number(id))
    let records = 0
    const known = new Set([...paths, ...factsOf(database, session)])
    for (const id of ids) {
      known.add(String(database.prepare('select path from file where id = ?').get(id)?.path))
      database.prepare('delete from words where rowid in (select id from doc where file = ?)').run(id)
      records += Number(database.prepare('delete from doc where file = ?').run(id).changes)
      database.prepare('delete from file where id = ?').run(id)
    }
    const facts = database.prepare('delete from facts where path = ?')
    for (const path of known) facts.run(path)
    // Calls are kept only until their results come, and do not say whose they are.
    database.exec('delete from call')
    database.exec(`delete from name where id not in (
      select role from doc union select kind from doc union select tool from doc where tool is not null
      union select model from doc where model is not null union select branch from doc where branch is not null
      union select target from doc where target is not null)`)
    database.exec('commit')
    return { files: ids.size, records, paths: [...known] }
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}

/** The logs of a session whose facts are kept, under any root, as far as their paths say so; of others the index of facts knows. */
function factsOf(database: Database, session: string): readonly string[] {
  const rows = database.prepare('select path from facts where instr(path, ?) > 0').all(session)
  return rows.map(({ path }) => String(path))
}

/** An index of another schema, or one that was moved aside, is no longer used: all it can do is remember. */
function removeOthers(folder: string): number {
  const ours = new Set(['', '-wal', '-shm'].map((tail) => `index-${SCHEMA}.db${tail}`))
  const others = list(folder).filter((name) => /^index-\d+\.db/.test(name) && !ours.has(name))
  for (const name of others) rmSync(join(folder, name), { force: true })
  return others.length
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The logs of a session that the index knows, under any root; the session is named by its whole id. */
export function indexedLogs(folder: string, session: string): readonly string[] {
  const { database } = openIndex(folder)
  try {
    const files = database.prepare('select path from file where session = ?').all(session)
    return [...new Set([...files.map(({ path }) => String(path)), ...factsOf(database, session)])]
  } finally {
    database.close()
  }
}
