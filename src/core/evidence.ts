import type { Holding } from './owner.ts'
import type { RowFacts } from './row-facts.ts'
import { textKey } from './row-key.ts'
import { timeOf } from './time.ts'
import type { UsageRow, UsedRow } from './usage.ts'

/** What a whole log tells of who made its responses. */
export interface LogEvidence {
  /** The log's own session: the last that a record names. */
  readonly sessionId: string | null
  /** The latest time of any record; empty where none has one. */
  readonly endedAt: string
  /** A hash of the ids and times of its first records. */
  readonly head: string
}

/** What a log has told so far when a row of a response comes. */
export interface RowEvidence {
  readonly sessionId: string | null
  /** The request that the row says it answers. */
  readonly requestRef: string | null
  readonly isMadeHere: boolean
  /** The latest time of any record up to this one, in milliseconds. */
  readonly writtenAt: number
}

/** The evidence of a log without a record. */
export const NO_EVIDENCE: LogEvidence = { sessionId: null, endedAt: '', head: '' }

/** So many records are its head. */
export const HEAD_RECORDS = 10

/** Gathers what a log tells of who made its responses, row by row. */
export class EvidenceFold {
  /** The ids of the requests that were sent from this log. */
  readonly #requests: Set<string>
  #records: number
  #sessionId: string | null
  #endedAt: string
  #head: string

  /** `before`, `requests` and `records` are what the log told up to here. */
  constructor(before: LogEvidence = NO_EVIDENCE, requests: readonly string[] = [], records = 0) {
    this.#requests = new Set(requests)
    this.#records = records
    this.#sessionId = before.sessionId
    this.#endedAt = before.endedAt
    this.#head = before.head
  }

  add({ type, uuid, parent, sessionId, timestamp, snapshotTimestamp, requestId }: RowFacts): void {
    const time = timeOf(timestamp ?? snapshotTimestamp ?? '')
    // Times in UTC are ordered as their texts are.
    if (time !== undefined && time > this.#endedAt) this.#endedAt = time
    if (sessionId !== null) this.#sessionId = sessionId
    if (this.#records++ < HEAD_RECORDS) {
      const told = [this.#head, type, uuid, parent, sessionId, time]
      this.#head = textKey(told.join('\n')).toString(16).padStart(14, '0')
    }
    if (requestId !== null) this.#requests.add(requestId)
  }

  /** What is known of a row that was just added. */
  ofRow({ sessionId, requestRef }: RowFacts): RowEvidence {
    return {
      sessionId,
      requestRef,
      // A request is logged before its answer.
      isMadeHere: requestRef !== null && this.#requests.has(requestRef),
      writtenAt: this.#endedAt === '' ? 0 : Date.parse(this.#endedAt),
    }
  }

  get requests(): readonly string[] {
    return [...this.#requests]
  }

  log(): LogEvidence {
    return { sessionId: this.#sessionId, endedAt: this.#endedAt, head: this.#head }
  }
}

/** What a row of a response tells of whether it was made in its log. */
export function holdingOf(row: UsageRow | UsedRow, log: LogEvidence): Holding {
  const { isFork, timestamp, place } = row
  const told = 'evidence' in row ? row.evidence : undefined
  const sessionId = told?.sessionId ?? null
  return {
    isMarked: isFork || (sessionId !== null && log.sessionId !== null && sessionId !== log.sessionId),
    isMadeHere: told?.isMadeHere ?? false,
    writtenAt: told?.writtenAt ?? (Date.parse(timestamp) || Number.MAX_SAFE_INTEGER),
    isNamed: sessionId !== null && sessionId === sessionByPlace(place.file),
    log: { endedAt: log.endedAt === '' ? 0 : Date.parse(log.endedAt), head: log.head, path: place.file },
  }
}

/** The session that a log belongs to by its place: the file's name, or that of the folder which an agent's log lies in. */
function sessionByPlace(path: string): string {
  const parts = path.split(/[\\/]/)
  const folder = parts.lastIndexOf('subagents')
  return (folder > 0 ? parts[folder - 1] : parts.at(-1)?.replace(/\.jsonl$/, '')) ?? ''
}
