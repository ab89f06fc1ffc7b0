import type { Diagnostic } from '../core/diagnostic.ts'
import { FactsFold, type LogFacts } from '../core/facts.ts'
import type { LogTotals } from '../core/log.ts'
import type { LogRecord } from '../core/record.ts'
import { readLogFile } from './log-file.ts'
import { readHead, readTail } from './page.ts'
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

const HEAD = { records: 200, bytes: 16 * 1024 }
const LONG_HEAD = { records: 2000, bytes: 512 * 1024 }
const TAIL = { records: 200, bytes: 16 * 1024 }

/**
 * What head and tail of a log tell: title, times, branch, version. Clients write titles again near the end, so that this
 * is enough for a list. Small logs are read whole.
 */
export function glanceFacts(source: Source, entry: SourceEntry): KnownFacts | undefined {
  if (entry.sizeBytes <= HEAD.bytes + TAIL.bytes) return readFacts(source, entry)
  const fold = new FactsFold()
  let head = readHead(source, entry, HEAD)
  if (!head.records.some(isSaid)) head = readHead(source, entry, LONG_HEAD)
  for (const record of head.records) fold.add(record)
  const tail = readTail(source, entry, TAIL)
  for (const record of tail.records) if (record.place.offset >= head.to) fold.add(record)
  return { facts: fold.facts(), totals: undefined, diagnostics: [] }
}

function isSaid(record: LogRecord): boolean {
  return record.type === 'user' || record.type === 'assistant'
}
