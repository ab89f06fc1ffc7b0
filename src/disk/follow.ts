import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogRecord } from '../core/log/record.ts'
import { advance, look, startCursor } from './cursor.ts'
import { type LogPosition, readLogFile } from './log-file.ts'
import type { Source, SourceEntry } from './source.ts'

/** The log was truncated or written anew, and is read from its start; or it is gone, and nothing follows. */
type Break = { readonly kind: 'rewritten'; readonly reason: string } | { readonly kind: 'gone' }

/** What happens to a log that is followed. */
export type FollowEvent = { readonly kind: 'record'; readonly record: LogRecord } | Break

export interface FollowOptions {
  /** Where to begin; by default at the end of what is there. */
  readonly from?: LogPosition
  readonly signal?: AbortSignal
  /** Time between two looks. */
  readonly everyMs?: number
}

/** Follows a log as it is written. Each record comes once, whole, when its newline has been written. */
export async function* followLog(
  source: Source,
  entry: SourceEntry,
  options: FollowOptions = {},
): AsyncGenerator<FollowEvent> {
  let found: LogRecord[] = []
  const record = (one: LogRecord) => found.push(one)
  for await (const event of followAppends(source, entry, options.from ?? endOf(source, entry), {
    ...options,
    record,
  })) {
    if (event.kind !== 'appended') yield event
    for (const one of found) yield { kind: 'record', record: one }
    found = []
  }
}

/** Whole lines that were added, and where they end. */
export interface Append {
  readonly kind: 'appended'
  readonly end: LogPosition
  readonly sizeBytes: number
}

/** Coarse clocks of file systems tick every few milliseconds, some only every two seconds. */
const SETTLED_MS = 2000

/**
 * Follows a log from a position, append by append, and hands on their records. A look costs one stat, so this needs no watcher
 * to be right on any file system.
 */
export async function* followAppends(
  source: Source,
  entry: SourceEntry,
  start: LogPosition,
  { record, signal, everyMs = 150 }: Omit<FollowOptions, 'from'> & { readonly record: (record: LogRecord) => void },
): AsyncGenerator<Append | Break> {
  let from = start
  let cursor = advance(startCursor(entry), source, entry, from)
  let looked: string | undefined
  for (; !signal?.aborted; await sleep(everyMs, undefined, signal ? { signal } : {}).catch(() => undefined)) {
    const now = entryNow(entry)
    // Comparing may read all of the log: it is for what was touched, and once more when two writes cannot share a time.
    const isSettled = now !== undefined && now.modifiedAt < Date.now() - SETTLED_MS
    const sign = now && `${now.sizeBytes} ${now.modifiedAt} ${now.inode} ${isSettled}`
    if (now && sign === looked) continue
    looked = sign
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
    if (seen.kind === 'same') continue
    // A last line without newline waits for it.
    const whole = (one: LogRecord) => (one.provisional ? undefined : record(one))
    const totals = readLogFile(source, now, { record: whole }, from)
    if (!totals || totals.endOffset === from.offset) continue
    from = { offset: totals.endOffset, line: totals.endLine }
    cursor = advance(cursor, source, now, from)
    yield { kind: 'appended', end: from, sizeBytes: now.sizeBytes }
  }
}

/** Where the last whole line of a log ends. */
export function endOf(source: Source, entry: SourceEntry): LogPosition {
  const totals = readLogFile(source, entry, { record: () => {} })
  return totals ? { offset: totals.endOffset, line: totals.endLine } : { offset: 0, line: 0 }
}

function entryNow(entry: SourceEntry): SourceEntry | undefined {
  const stats = statSync(entry.path, { throwIfNoEntry: false })
  if (!stats) return undefined
  return { ...entry, sizeBytes: stats.size, modifiedAt: stats.mtimeMs, inode: `${stats.dev}:${stats.ino}` }
}
