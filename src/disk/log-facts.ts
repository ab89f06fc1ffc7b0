import type { Diagnostic } from '../core/diagnostic.ts'
import { FactsFold, type LogFacts } from '../core/facts.ts'
import type { LogTotals } from '../core/log.ts'
import type { LogRecord } from '../core/record.ts'
import { readLogFile } from './log-file.ts'
import type { Source, SourceEntry } from './source.ts'

/** The facts of a log, and whether all of it was read for them. */
export interface KnownFacts {
  readonly facts: LogFacts
  /** `undefined` when only head and tail were read. */
  readonly totals: LogTotals | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads a whole log for its facts; `undefined` when it is gone. */
export function readFacts(
  source: Source,
  entry: SourceEntry,
  also?: (record: LogRecord) => void,
): KnownFacts | undefined {
  return fold(source, entry, new FactsFold(entry.path), undefined, also)
}

/** The facts of a log that has grown: only what was added is read. */
export function readOn(source: Source, entry: SourceEntry, before: KnownFacts): KnownFacts | undefined {
  return canGoOn(before)
    ? fold(source, entry, new FactsFold(entry.path, before.facts), before)
    : readFacts(source, entry)
}

/** A last line without newline may go on, and a log in another encoding is not read by lines. */
function canGoOn({ totals, diagnostics }: KnownFacts): boolean {
  return totals?.endOffset === totals?.bytes && !diagnostics.some(({ code }) => code === 'UTF16')
}

function fold(
  source: Source,
  entry: SourceEntry,
  facts: FactsFold,
  before?: KnownFacts,
  also?: (record: LogRecord) => void,
): KnownFacts | undefined {
  const diagnostics: Diagnostic[] = [...(before?.diagnostics ?? [])]
  const record = also
    ? (r: LogRecord) => {
        facts.add(r)
        also(r)
      }
    : (r: LogRecord) => facts.add(r)
  const from = before?.totals && { offset: before.totals.endOffset, line: before.totals.endLine }
  const totals = readLogFile(source, entry, { record, diagnostic: (d) => diagnostics.push(d) }, from)
  return totals && { facts: facts.facts(), totals: plus(before?.totals, totals), diagnostics }
}

function plus(before: LogTotals | undefined, after: LogTotals): LogTotals {
  if (!before) return after
  const sum = (key: keyof LogTotals) => before[key] + after[key]
  return {
    bytes: sum('bytes'),
    recordBytes: sum('recordBytes'),
    diagnosticBytes: sum('diagnosticBytes'),
    separatorBytes: sum('separatorBytes'),
    lines: sum('lines'),
    blankLines: sum('blankLines'),
    records: sum('records'),
    pendingBytes: after.pendingBytes,
    endOffset: after.endOffset,
    endLine: after.endLine,
  }
}
