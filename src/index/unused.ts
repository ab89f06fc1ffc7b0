import { existsSync, type Stats, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../core/json.ts'
import type { Database } from './driver.ts'
import { openDatabase } from './sqlite.ts'

const DAY_MS = 86_400_000
const UNUSED_DAYS = 30

/** Whether an index was not opened for a day, or never: then it is noted that it is used, and what others left is looked at. */
export function isUseDue(file: Stats | undefined): boolean {
  return file === undefined || Date.now() - file.mtimeMs > DAY_MS
}

/** Notes that an index is used, and which roots it is about. The time of its file says when: reading alone writes nothing. */
export function noteUse(database: Database, path: string, roots: readonly string[]): void {
  database.prepare("insert or replace into meta values ('roots', ?)").run(JSON.stringify(roots))
  utimesSync(path, new Date(), new Date())
}

/** The indexes of a folder that nobody opened for a month, and whose roots are all gone. */
export function unusedIndexes(folder: string, names: readonly string[]): readonly string[] {
  const before = Date.now() - UNUSED_DAYS * DAY_MS
  return names.filter((name) => {
    const path = join(folder, name)
    const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (modified === undefined || modified > before) return false
    const roots = rootsOf(path)
    return roots.length > 0 && !roots.some((root) => existsSync(root))
  })
}

/** The roots that an index is about; none where it does not say, or cannot be read. */
function rootsOf(path: string): readonly string[] {
  let database: Database | undefined
  try {
    database = openDatabase(path)
    const value = database.prepare("select value from meta where key = 'roots'").get()?.value
    const roots = parseJson(typeof value === 'string' ? value : '')
    return Array.isArray(roots) ? roots.filter((root) => typeof root === 'string') : []
  } catch {
    return []
  } finally {
    database?.close()
  }
}
