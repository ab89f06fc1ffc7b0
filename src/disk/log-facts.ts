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

/** Reads a whole log for its facts; `undefined` when it is gone. `also` hears of every record. */
export function readFacts(
  source: Source,
  entry: SourceEntry,
  also?: (record: LogRecord) => void,
): KnownFacts | undefined {
  const fold = new FactsFold()
  const diagnostics: Diagnostic[] = []
  const record = (one: LogRecord) => {
    fold.add(one)
    also?.(one)
  }
  const totals = readLogFile(source, entry, { record, diagnostic: (d) => diagnostics.push(d) })
  return totals && { facts: fold.facts(), totals, diagnostics }
}
