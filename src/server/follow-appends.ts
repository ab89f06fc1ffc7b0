import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogRecord } from '../core/log/record.ts'
import { advance, look, startCursor } from '../disk/cursor.ts'
import { readLogFile } from '../disk/log-file.ts'
import type { Source, SourceEntry } from '../disk/source.ts'

/** What happens to a log that is followed. */
export type LogEvent =
  /** It is followed from this offset. */
  | { readonly kind: 'started'; readonly offset: number }
  | { readonly kind: 'rows'; readonly offset: number; readonly sizeBytes: number; readonly records: number }
  | { readonly kind: 'rewritten' }
  | { readonly kind: 'gone' }

const EVERY_MS = 50
/** Coarse clocks of file systems tick every few milliseconds, some only every two seconds. */
const SETTLED_MS = 2000

/**
 * Follows a log from an offset: each append once, when its newline has been written. What is told first is where it
 * begins; who goes on from the last offset told misses nothing and gets nothing twice.
 */
export async function followAppends(
  source: Source,
  entry: SourceEntry,
  from: number | undefined,
  signal: AbortSignal,
  tell: (event: LogEvent) => Promise<void>,
): Promise<void> {
  let offset = from ?? readLogFile(source, entry, { record: () => {} })?.endOffset ?? 0
  let cursor = advance(startCursor(entry), source, entry, { offset, line: 0 })
  await tell({ kind: 'started', offset })
  let looked: string | undefined
  while (!signal.aborted) {
    const now = entryNow(entry)
    // A look may read all of the log: it is for what was touched, and once more when two writes cannot share a time.
    const isSettled = now !== undefined && now.modifiedAt < Date.now() - SETTLED_MS
    const sign = now && `${now.sizeBytes} ${now.modifiedAt} ${now.inode} ${isSettled}`
    if (now && sign === looked) {
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined)
      continue
    }
    looked = sign
    const seen = look(cursor, source, now)
    if (!now || seen.kind === 'gone') return tell({ kind: 'gone' })
    if (seen.kind === 'new-generation') {
      await tell({ kind: 'rewritten' })
      cursor = startCursor(now, cursor.generation + 1)
      offset = 0
    }
    if (seen.kind === 'same') continue
    let records = 0
    const record = ({ provisional }: LogRecord) => {
      records += provisional ? 0 : 1
    }
    const end = readLogFile(source, now, { record }, { offset, line: 0 })?.endOffset ?? offset
    if (end > offset) {
      cursor = advance(cursor, source, now, { offset: end, line: 0 })
      offset = end
      await tell({ kind: 'rows', offset, sizeBytes: now.sizeBytes, records })
    }
  }
}

function entryNow(entry: SourceEntry): SourceEntry | undefined {
  const stats = statSync(entry.path, { throwIfNoEntry: false })
  if (!stats) return undefined
  return { ...entry, sizeBytes: stats.size, modifiedAt: stats.mtimeMs, inode: `${stats.dev}:${stats.ino}` }
}
