import { copyKeyIn } from '../copy-key.ts'
import { type Docs, type Found, type LogCount, SPOKEN_KINDS } from './matching-docs.ts'
import type { SearchedLog } from './searched-logs.ts'

/** A record that a team store found; the store applied the filters on records. */
export interface FoundDoc {
  readonly log: number
  readonly line: number
  readonly offset: number
  readonly length: number
  readonly time: number | null
  readonly role: string
  readonly kind: string
  readonly copy: number
}

/** What a team store found: counts by log and in total, and the newest records. */
export interface RemoteHits {
  readonly docs: readonly FoundDoc[]
  readonly counts: readonly LogCount[]
  /** Copies of one message count once. */
  readonly total: number
}

/** Records that a team store found, thousands of them, as they came. */
export class RemoteDocs implements Docs {
  readonly isRanked = false
  readonly #found: RemoteHits
  /** Of each log, the newest first; of one time, what stands last. */
  readonly #byLog: ReadonlyMap<number, readonly FoundDoc[]>

  constructor(found: RemoteHits) {
    this.#found = found
    const byLog = new Map<number, FoundDoc[]>()
    for (const doc of found.docs) {
      const own = byLog.get(doc.log)
      if (own) own.push(doc)
      else byLog.set(doc.log, [doc])
    }
    for (const own of byLog.values()) own.sort((a, b) => timeOf(b) - timeOf(a) || b.offset - a.offset)
    this.#byLog = byLog
  }

  areMany(): boolean {
    return false
  }

  countByLog(): readonly LogCount[] {
    return this.#found.counts
  }

  /** Of some logs, no more than they have together: what they share is known of all logs alone. */
  countDistinct(logs?: readonly number[]): number {
    const { counts, total } = this.#found
    if (!logs) return total
    const wanted = new Set(logs)
    return Math.min(
      total,
      counts.reduce((sum, { log, count }) => sum + (wanted.has(log) ? count : 0), 0),
    )
  }

  best(): readonly Found[] {
    return []
  }

  *newestIn(log: SearchedLog, isSpokenFirst = false): Iterable<Found> {
    const docs = this.#byLog.get(log.id) ?? []
    if (!isSpokenFirst) return yield* docs.map((doc) => toFound(log, doc))
    for (const isSpoken of [true, false])
      for (const doc of docs) if (SPOKEN_KINDS.includes(doc.kind) === isSpoken) yield toFound(log, doc)
  }

  copyIn(log: SearchedLog, copy: number): Found | undefined {
    const doc = this.#byLog.get(log.id)?.find((one) => copyKeyIn(log.id, one.copy) === copy)
    return doc && toFound(log, doc)
  }
}

/** What has no time is the oldest; the difference of two such is no number, which is as good as none. */
function timeOf({ time }: FoundDoc): number {
  return time ?? Number.NEGATIVE_INFINITY
}

function toFound(log: SearchedLog, { line, offset, length, role, kind, time, copy }: FoundDoc): Found {
  return { log, line, offset, length, role, kind, timeMs: time, copy: copyKeyIn(log.id, copy) }
}
