import type { SourceEntry } from '../disk/source.ts'
import type { Database } from './driver.ts'
import { troubleOf } from './trouble.ts'

/** The state of all listed files as one text: the same only where no path, size, time or inode differs. Without NUL: drivers end a text there. */
export function listingMark(entries: Iterable<SourceEntry>): string {
  let text = ''
  for (const { path, sizeBytes, modifiedAt, inode, gone } of entries)
    text += `${sizeBytes} ${modifiedAt} ${inode} ${gone ? 'gone' : 'there'} ${path}\n`
  return text
}

/** Whether the tables are known to be up to date with a listing: one text is compared in place of every row. */
export function isMarked(database: Database, mark: string): boolean {
  return database.prepare("select 1 as found from meta where key = 'listing' and value = ?").get(mark) !== undefined
}

/** Notes that they are. Where another process is writing, that is left for another time. */
export function markListing(database: Database, mark: string): void {
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
