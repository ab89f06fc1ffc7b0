import { type JsonObject, objectAt, stringAt, textAt } from './json.ts'
import type { Holding } from './owner.ts'
import type { LogRecord } from './record.ts'
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
  /** The ids of the requests that were sent from this log. */
  readonly #requests = new Set<string>()
  #records = 0
  #sessionId: string | null = null
  #endedAt = ''
  #head = ''

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
    if (type === 'api-request') this.#requests.add(stringAt(raw, 'id') ?? '')
  }

  /** What is known of a row that was just added. */
  ofRow(raw: JsonObject): RowEvidence {
    const ref = textAt(raw, 'requestRef')
    return {
      sessionId: textAt(raw, 'sessionId') ?? null,
      // A request is logged before its answer.
      isMadeHere: ref !== undefined && this.#requests.has(ref),
      writtenAt: this.#endedAt === '' ? 0 : Date.parse(this.#endedAt),
    }
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
