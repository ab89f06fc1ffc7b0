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

/** Keeps facts of logs between runs. */
export interface FactsCache {
  /** The facts of a log that has not changed since they were put. */
  get(source: Source, entry: SourceEntry): KnownFacts | undefined
  put(source: Source, entry: SourceEntry, known: KnownFacts, isSettled: boolean): void
  close(): void
}

/** Reads a whole log for its facts; `undefined` when it is gone. */
export function readFacts(
  source: Source,
  entry: SourceEntry,
  also?: (record: LogRecord) => void,
): KnownFacts | undefined {
  const fold = new FactsFold()
  const diagnostics: Diagnostic[] = []
  const record = also
    ? (r: LogRecord) => {
        fold.add(r)
        also(r)
      }
    : (r: LogRecord) => fold.add(r)
  const totals = readLogFile(source, entry, { record, diagnostic: (d) => diagnostics.push(d) })
  return totals && { facts: fold.facts(), totals, diagnostics }
}
