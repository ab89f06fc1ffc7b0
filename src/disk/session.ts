import { digestOf, type LogDigest } from '../core/digest.ts'
import { type LogFacts, type LogKind, logKind } from '../core/facts.ts'
import { isRecordType } from '../core/record-types.ts'
import { type TitleFrom, titleOf } from '../core/title.ts'
import type { SessionFiles } from './inventory.ts'
import type { KnownFacts } from './log-facts.ts'

/** A session as its own log describes it. Fields that need the whole log are `null` where only its ends were read. */
export interface SessionFacts {
  readonly files: SessionFiles
  readonly facts: LogFacts
  readonly kind: LogKind
  readonly title: string | null
  readonly titleFrom: TitleFrom
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly whole: LogDigest | null
}

export interface DescribeOptions {
  readonly sidecarTitle?: string | null
  /** A summary in any file that names a row of this session as its leaf. */
  readonly summary?: string | null
}

/** Describes a session from the facts of its log. */
export function describeSession(files: SessionFiles, known: KnownFacts, options: DescribeOptions = {}): SessionFacts {
  const { facts, totals } = known
  const title = titleOf(facts, options.sidecarTitle, options.summary)
  return {
    files,
    facts,
    kind: totals || facts.types.length > 0 ? logKind(facts.types, isRecordType) : 'unknown',
    title: title.text,
    titleFrom: title.from,
    createdAt: facts.firstAt,
    updatedAt: facts.lastAt ?? isoOf(files.log?.modifiedAt),
    whole: totals ? digestOf(facts, totals.lines) : null,
  }
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}
