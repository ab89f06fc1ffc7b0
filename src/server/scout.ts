import { statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogRecord } from '../core/record.ts'
import { advance, look, startCursor } from '../disk/cursor.ts'
import { placeOf } from '../disk/layout.ts'
import type { Library } from '../disk/library.ts'
import { readLogFile } from '../disk/log-file.ts'
import type { SourceEntry } from '../disk/source.ts'
import { watchLogs } from '../disk/watch.ts'
import { openLibrary } from '../history/compose.ts'
import { findSession } from '../history/find.ts'
import { logOf } from '../history/gone.ts'
import type { Context } from '../ops/op.ts'
import { failed, type Setup } from './op-runner.ts'

/** What a scout tells: of all logs, or of one that it was sent after. */
export type Sighting =
  | { readonly kind: 'change'; readonly sessions: readonly string[] }
  /** The log was found, and is followed from this offset. */
  | { readonly kind: 'started'; readonly id: number; readonly offset: number }
  | { readonly kind: 'failed'; readonly id: number; readonly status: number; readonly body: Uint8Array<ArrayBuffer> }
  | {
      readonly kind: 'rows'
      readonly id: number
      readonly offset: number
      readonly sizeBytes: number
      readonly records: number
    }
  | { readonly kind: 'rewritten'; readonly id: number }
  | { readonly kind: 'gone'; readonly id: number }

/** Watches the logs of some roots and follows single ones. */
export interface Scout {
  /** `from` is the offset that was seen last; without it, the end of what is there. */
  follow(id: number, session: string, from: number | undefined): void
  leave(id: number): void
  close(): void
}

const EVERY_MS = 50
/** Coarse clocks of file systems tick every few milliseconds, some only every two seconds. */
const SETTLED_MS = 2000

/** Opens a scout. What it sees, it tells until it is closed. */
export function openScout(setup: Setup, tell: (sighting: Sighting) => void): Scout {
  const library = openLibrary(setup.roots, () => {}, setup.dataDir)
  const followed = new Map<number, AbortController>()
  const watching = watchLogs(setup.roots, (paths) => {
    tell({ kind: 'change', sessions: [...new Set([...paths].flatMap((path) => sessionOf(library.roots, path)))] })
  })

  async function run(id: number, session: string, from: number | undefined, signal: AbortSignal): Promise<void> {
    try {
      const entry = entryOf(setup, library, session)
      await followAppends(library, entry, from, signal, (sighting) => tell({ ...sighting, id }))
    } catch (error) {
      const { status, body } = failed(error)
      tell({ kind: 'failed', id, status, body })
    }
  }

  return {
    follow(id, session, from) {
      const stop = new AbortController()
      followed.set(id, stop)
      void run(id, session, from, stop.signal)
    },
    leave(id) {
      followed.get(id)?.abort()
      followed.delete(id)
    },
    close() {
      for (const stop of followed.values()) stop.abort()
      void watching.close()
      library.close()
    },
  }
}

function sessionOf(roots: readonly string[], path: string): readonly string[] {
  const root = roots.find((one) => path.startsWith(one + sep))
  const place = root === undefined ? undefined : placeOf(relative(root, path).split(sep).join('/'))
  return place && 'session' in place && place.session !== null ? [place.session] : []
}

function entryOf(setup: Setup, library: Library, name: string): SourceEntry {
  library.refresh()
  const nothing = () => {}
  const context: Context = { ...setup, library, now: new Date(), rootsOnly: true, warn: nothing, progress: nothing }
  return logOf(context, findSession(context, name))
}

type Seen = Sighting extends infer S ? (S extends { readonly id: number } ? Omit<S, 'id'> : never) : never

/**
 * Follows a log from an offset: each append once, when its newline has been written. What is told first is where it
 * begins; who goes on from the last offset told misses nothing and gets nothing twice.
 */
async function followAppends(
  { source }: Library,
  entry: SourceEntry,
  from: number | undefined,
  signal: AbortSignal,
  tell: (seen: Seen) => void,
): Promise<void> {
  let offset = from ?? readLogFile(source, entry, { record: () => {} })?.endOffset ?? 0
  let cursor = advance(startCursor(entry), source, entry, { offset, line: 0 })
  tell({ kind: 'started', offset })
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
      tell({ kind: 'rewritten' })
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
      tell({ kind: 'rows', offset, sizeBytes: now.sizeBytes, records })
    }
  }
}

function entryNow(entry: SourceEntry): SourceEntry | undefined {
  const stats = statSync(entry.path, { throwIfNoEntry: false })
  if (!stats) return undefined
  return { ...entry, sizeBytes: stats.size, modifiedAt: stats.mtimeMs, inode: `${stats.dev}:${stats.ino}` }
}
