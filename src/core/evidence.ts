import { type JsonObject, objectAt, stringAt, textAt } from './json.ts'
import type { LogRecord } from './record.ts'
import { textKey } from './row-key.ts'
import type { TextPool } from './text-pool.ts'
import { timeOf } from './time.ts'

/** What a whole log tells of who made its responses. Plain data, kept beside their rows. */
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
  readonly isMadeHere: boolean
  /** The latest time of any record up to this one, in milliseconds. */
  readonly writtenAt: number
}

/** The evidence of a log without a record. */
export const NO_EVIDENCE: LogEvidence = { sessionId: null, endedAt: '', head: '' }

/** So many records are its head. */
const HEAD_RECORDS = 10

/** Gathers what a log tells of who made its responses, record by record. */
export class EvidenceFold {
  readonly #pool: TextPool
  #records: number
  #sessionId: string | null
  #endedAt: string
  #head: string

  /** `pool` keeps the ids of requests; `before` and `records` are what the log told up to here. */
  constructor(pool: TextPool, before: LogEvidence = NO_EVIDENCE, records = 0) {
    this.#pool = pool
    this.#records = records
    this.#sessionId = before.sessionId
    this.#endedAt = before.endedAt
    this.#head = before.head
  }

  add({ raw, type }: LogRecord): void {
    const sessionId = textAt(raw, 'sessionId')
    const time = timeOf(stringAt(raw, 'timestamp') ?? stringAt(objectAt(raw, 'snapshot'), 'timestamp') ?? '')
    // Times in UTC are ordered as their texts are.
    if (time !== undefined && time > this.#endedAt) this.#endedAt = time
    if (sessionId !== undefined) this.#sessionId = sessionId
    if (this.#records++ < HEAD_RECORDS) {
      const told = [this.#head, type, stringAt(raw, 'uuid'), stringAt(raw, 'parentUuid'), sessionId, time]
      this.#head = textKey(told.join('\n')).toString(16).padStart(14, '0')
    }
    if (type === 'api-request') this.#pool.idOf(stringAt(raw, 'id') ?? '')
  }

  /** What is known of a row that was just added. */
  ofRow(raw: JsonObject): RowEvidence {
    const ref = textAt(raw, 'requestRef')
    return {
      sessionId: textAt(raw, 'sessionId') ?? null,
      // A request is logged before its answer; the ids of those that another log sent are never put into the pool.
      isMadeHere: ref !== undefined && this.#pool.find(ref) !== -1,
      writtenAt: this.#endedAt === '' ? 0 : Date.parse(this.#endedAt),
    }
  }

  log(): LogEvidence {
    return { sessionId: this.#sessionId, endedAt: this.#endedAt, head: this.#head }
  }
}

/** The session that a log belongs to by its place: the file's name, or that of the folder which an agent's log lies in. */
export function sessionByPlace(path: string): string {
  const parts = path.split(/[\\/]/)
  const folder = parts.lastIndexOf('subagents')
  return (folder > 0 ? parts[folder - 1] : parts.at(-1)?.replace(/\.jsonl$/, '')) ?? ''
}
