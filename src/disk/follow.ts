import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogRecord } from '../core/log/record.ts'
import { advance, type Cursor, look, startCursor } from './cursor.ts'
import { type LogPosition, readLogFile } from './log-file.ts'
import type { Source, SourceEntry } from './source.ts'

/** What happens to a log that is followed. */
export type FollowEvent =
  | { readonly kind: 'record'; readonly record: LogRecord }
  /** The log was truncated or written anew: what follows is read from its start. */
  | { readonly kind: 'rewritten'; readonly reason: string }
  | { readonly kind: 'gone' }

export interface FollowOptions {
  /** Where to begin; by default at the end of what is there. */
  readonly from?: LogPosition
  readonly signal?: AbortSignal
  /** Time between two looks. */
  readonly everyMs?: number
}

/**
 * Follows a log as it is written. Each record comes once, whole, when its newline has been written. A look costs one
 * stat, so this needs no watcher to be right on any file system.
 */
export async function* followLog(
  source: Source,
  entry: SourceEntry,
  options: FollowOptions = {},
): AsyncGenerator<FollowEvent> {
  const { everyMs = 150, signal } = options
  let cursor = startCursor(entry)
  let from = options.from ?? endOf(source, entry)
  cursor = advance(cursor, source, entry, from)
  while (!signal?.aborted) {
    const now = entryNow(entry)
    const seen = look(cursor, source, now)
    if (!now || seen.kind === 'gone') {
      yield { kind: 'gone' }
      return
    }
    if (seen.kind === 'new-generation') {
      yield { kind: 'rewritten', reason: seen.reason }
      cursor = startCursor(now, cursor.generation + 1)
      from = { offset: 0, line: 0 }
    }
    if (seen.kind !== 'same') {
      const { records, end } = readFrom(source, now, from)
      for (const record of records) yield { kind: 'record', record }
      cursor = moved(cursor, source, now, from, end)
      from = end
    }
    await sleep(everyMs, undefined, signal ? { signal } : {}).catch(() => undefined)
  }
}

function moved(cursor: Cursor, source: Source, now: SourceEntry, from: LogPosition, end: LogPosition): Cursor {
  return end.offset === from.offset ? cursor : advance(cursor, source, now, end)
}

/** The records of whole lines after a position; a last line without newline waits for it. */
function readFrom(source: Source, entry: SourceEntry, from: LogPosition) {
  const records: LogRecord[] = []
  const record = (found: LogRecord) => {
    if (!found.provisional) records.push(found)
  }
  const totals = readLogFile(source, entry, { record }, from)
  const end = totals ? { offset: totals.endOffset, line: totals.endLine } : from
  return { records, end }
}

function endOf(source: Source, entry: SourceEntry): LogPosition {
  const totals = readLogFile(source, entry, { record: () => {} })
  return totals ? { offset: totals.endOffset, line: totals.endLine } : { offset: 0, line: 0 }
}

function entryNow(entry: SourceEntry): SourceEntry | undefined {
  const stats = statSync(entry.path, { throwIfNoEntry: false })
  if (!stats) return undefined
  return { ...entry, sizeBytes: stats.size, modifiedAt: stats.mtimeMs, inode: `${stats.dev}:${stats.ino}` }
}
