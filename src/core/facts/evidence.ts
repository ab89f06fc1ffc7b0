import type { UsageRow } from '../usage/usage.ts'
import type { Holding } from './owner.ts'
import type { RowFacts } from './row-facts.ts'
import { numbersKey, textKey } from './row-key.ts'

/** What a whole log tells of who made its responses. */
export interface LogEvidence {
  /** The log's own session: the last that a record names. */
  readonly sessionId: string | null
  /** The latest time of any record, in milliseconds; 0 where none has one. */
  readonly endedAt: number
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
export const NO_EVIDENCE: LogEvidence = { sessionId: null, endedAt: 0, head: '' }

/** So many records are its head. */
export const HEAD_RECORDS = 10

const RECENT_REQUESTS = 16

/** Gathers what a log tells of who made its responses, row by row. */
export class EvidenceFold {
  /** The ids of the last requests that were sent from this log. */
  readonly #requests: string[]
  #records: number
  #sessionId: string | null
  #endedAt: number
  /** 0 before the first record. */
  #head: number

  /** `before`, `requests` and `records` are what the log told up to here. */
  constructor(before: LogEvidence = NO_EVIDENCE, requests: readonly string[] = [], records = 0) {
    this.#requests = [...requests]
    this.#records = records
    this.#sessionId = before.sessionId
    this.#endedAt = before.endedAt
    this.#head = before.head === '' ? 0 : Number.parseInt(before.head, 16)
  }

  add(facts: RowFacts): void {
    const { sessionId, writtenAt, requestId } = facts
    if (writtenAt > this.#endedAt) this.#endedAt = writtenAt
    // Most records name the session of the one before.
    const named = sessionId === null || sessionId === this.#sessionId ? 0 : textKey(sessionId)
    this.#addToHead(facts.key, facts.parentKey, writtenAt || 0, named, facts.offset)
    if (sessionId !== null) this.#sessionId = sessionId
    if (requestId !== null) this.#addRequest(requestId)
  }

  #addToHead(key: number, parentKey: number, writtenAt: number, named: number, offset: number): void {
    if (this.#records++ >= HEAD_RECORDS) return
    this.#head = numbersKey(this.#head, key, parentKey, writtenAt, named, offset)
  }

  /** What is known of a row that was just added. */
  ofRow(sessionId: string | null, requestRef: string | null): RowEvidence {
    return {
      sessionId,
      requestRef,
      isMadeHere: requestRef !== null && this.#requests.includes(requestRef),
      writtenAt: this.#endedAt,
    }
  }

  /** A request is logged right before its answer: a few stand for all. */
  #addRequest(id: string): void {
    this.#requests.push(id)
    if (this.#requests.length > RECENT_REQUESTS) this.#requests.shift()
  }

  get requests(): readonly string[] {
    return this.#requests
  }

  log(): LogEvidence {
    const head = this.#records === 0 ? '' : this.#head.toString(16).padStart(14, '0')
    return { sessionId: this.#sessionId, endedAt: this.#endedAt, head }
  }
}

/** What a row of a response tells of whether it was made in its log; `told` is what the log had told up to it. */
export function holdingOf(row: UsageRow, told: RowEvidence | undefined, log: LogEvidence): Holding {
  const { isFork, timestamp, place } = row
  const sessionId = told?.sessionId ?? null
  return {
    isMarked: isFork || isOfAnother(sessionId, log),
    isMadeHere: told?.isMadeHere ?? false,
    writtenAt: told?.writtenAt ?? (Date.parse(timestamp) || Number.MAX_SAFE_INTEGER),
    isNamed: sessionId !== null && sessionId === sessionByPlace(place.file),
    log: { endedAt: log.endedAt, head: log.head, path: place.file },
  }
}

/** Whether a row that names a session is a copy of that one's. */
export function isOfAnother(sessionId: string | null, log: LogEvidence): boolean {
  return sessionId !== null && log.sessionId !== null && sessionId !== log.sessionId
}

/** The session that a log belongs to by its place: the file's name, or that of the folder which an agent's log lies in. */
export function sessionByPlace(path: string): string {
  const parts = path.split(/[\\/]/)
  const folder = parts.lastIndexOf('subagents')
  return (folder > 0 ? parts[folder - 1] : parts.at(-1)?.replace(/\.jsonl$/, '')) ?? ''
}
