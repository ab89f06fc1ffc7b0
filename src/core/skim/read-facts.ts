import type { RowFacts } from '../facts/row-facts.ts'
import type { Line } from '../log/lines.ts'
import { LogReader, type LogSink, type LogTotals } from '../log/log.ts'
import { readLine } from '../log/record.ts'
import { type ReadBytes, type SkimBatch, type SkimLogOptions, skimLog } from './skim-log.ts'
import { SkimmedRow } from './skimmed-row.ts'
import type { Skimmer } from './skimmer.ts'

/** Who listens while a log is skimmed: plain rows come as facts, which hold until the next, all other lines as records. */
export interface FactsSink extends LogSink {
  row(facts: RowFacts): void
  /** Whether more of a plain row is wanted than its facts: then it comes as a record. */
  isRecordWanted(facts: RowFacts): boolean
}

/** Reads a log in UTF-8 by skim, in file order, and accounts for every byte as `LogReader` does. */
export function skimLogFacts(
  skimmer: Skimmer,
  read: ReadBytes,
  file: string,
  sink: FactsSink,
  options: SkimLogOptions = {},
): LogTotals {
  const from = options.from ?? { offset: 0, line: 0 }
  const reader = new LogReader(file, sink, from)
  const { totals } = reader
  const skimmed = new SkimmedRow(skimmer)
  let taken = 0
  const rows = (batch: SkimBatch) => {
    for (let row = 0; row < batch.rows; row++) giveRow(skimmer, skimmed, batch, row, file, sink, reader)
    if (batch.complete) taken += batch.rows
  }
  const oversize = (line: Line) => {
    reader.takeLine(line)
    if (line.complete) taken += 1
  }
  const counted: ReadBytes = (into, position) => {
    const count = read(into, position)
    totals.bytes = Math.max(totals.bytes, position + count - from.offset)
    return count
  }
  const end = skimLog(skimmer, counted, { rows, oversize }, options)
  reader.passBlank(end.line - from.line - taken)
  totals.endOffset = end.offset
  totals.endLine = end.line
  return totals
}

function giveRow(
  skimmer: Skimmer,
  skimmed: SkimmedRow,
  batch: SkimBatch,
  row: number,
  file: string,
  sink: FactsSink,
  reader: LogReader,
): void {
  const { complete } = batch
  const line = batch.line + skimmer.lineNumber(row) + 1
  const offset = batch.offset + skimmer.offset(row)
  const length = skimmer.length(row)
  if (!skimmer.isPlain(row)) {
    reader.takeLine({ bytes: skimmer.line(row), line, offset, length, complete })
    return
  }
  const facts = skimmed.set(row, file, line, offset)
  reader.passRecord(length, complete)
  if (!sink.isRecordWanted(facts)) {
    sink.row(facts)
    return
  }
  const bytes = skimmer.line(row)
  for (const record of readLine(bytes, facts.place).value)
    sink.record(complete ? record : { ...record, provisional: true }, bytes)
}
