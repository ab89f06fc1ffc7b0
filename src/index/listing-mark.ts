import { sep } from 'node:path'
import type { SourceEntry } from '../disk/source.ts'
import type { Database } from './driver.ts'
import { troubleOf } from './trouble.ts'

/**
 * The state of all listed files: the same bytes only where no path, size, time or inode differs. Numbers stay numbers, as to write them out
 * takes longer than to list; a file in the folder of the one before it is told by its name.
 */
export function listingMark(entries: readonly SourceEntry[]): Uint8Array {
  const numbers = new Float64Array(2 * entries.length)
  const names: string[] = []
  let folder = ''
  for (const { path, sizeBytes, modifiedAt, inode = '', gone } of entries) {
    const nameAt = path.lastIndexOf(sep) + 1
    const isBeside = nameAt === folder.length && path.startsWith(folder)
    if (!isBeside) folder = path.slice(0, nameAt)
    numbers[names.length] = sizeBytes
    numbers[names.length + 1] = modifiedAt
    names.push(isBeside ? path.slice(nameAt) : path, gone ? 'gone' : inode)
  }
  return Buffer.concat([new Uint8Array(numbers.buffer), Buffer.from(names.join('\n'))])
}

/** Whether the tables are known to be up to date with a listing: its mark is compared in place of every row. */
export function isMarked(database: Database, mark: Uint8Array): boolean {
  return database.prepare("select 1 as found from meta where key = 'listing' and value = ?").get(mark) !== undefined
}

/** Notes that they are. Where another process is writing, that is left for another time. */
export function markListing(database: Database, mark: Uint8Array): void {
  database.exec('pragma busy_timeout = 0')
  try {
    database.prepare("insert or replace into meta (key, value) values ('listing', ?)").run(mark)
  } catch (error) {
    if (troubleOf(error) === 'other') throw error
  } finally {
    database.exec('pragma busy_timeout = 10000')
  }
}

/** Forgets it: belongs into every transaction that changes what is known of a log. */
export function unmarkListing(database: Database): void {
  database.exec("delete from meta where key = 'listing'")
}
