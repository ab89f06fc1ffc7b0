import { digestOf, type LogDigest, type WholeFacts } from '../core/digest.ts'
import { type LogFacts, type LogKind, logKind } from '../core/facts.ts'
import { isRecordType } from '../core/record-types.ts'
import { type Title, type TitleFrom, titleOf } from '../core/title.ts'
import type { SessionFiles } from './inventory.ts'
import type { KnownFacts } from './log-facts.ts'

/** A session as its own log describes it. Fields that need the whole log are `null` where only its ends were read. */
export interface SessionFacts {
  readonly files: SessionFiles
  /** What its log says, without the rows. */
  readonly facts: LogFacts
  readonly kind: LogKind
  readonly title: string | null
  readonly titleFrom: TitleFrom
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly whole: WholeFacts | null
}

export interface DescribeOptions {
  readonly sidecarTitle?: string | null
  /** A summary in any file that names a row of this session as its leaf. */
  readonly summary?: string | null
}

/** Describes a session from the facts of its log. */
export function describeSession(files: SessionFiles, known: KnownFacts, options: DescribeOptions = {}): SessionFacts {
  const title = titleOf(known.facts, options.sidecarTitle, options.summary)
  return describeDigest(files, digestOf(known.facts, known.totals), title)
}

/** Describes a session from what is kept of its log. */
export function describeDigest(files: SessionFiles, digest: LogDigest, title: Title): SessionFacts {
  const { facts, whole } = digest
  const kind = whole || facts.types.size > 0 ? logKind(facts.types, isRecordType) : 'unknown'
  return {
    files,
    facts,
    kind,
    title: title.text,
    titleFrom: title.from,
    createdAt: facts.firstAt,
    updatedAt: facts.lastAt ?? isoOf(files.log?.modifiedAt),
    whole,
  }
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}
