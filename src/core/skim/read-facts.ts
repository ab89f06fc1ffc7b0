import type { RowFacts, SkimmedRows } from '../facts/row-facts.ts'
import type { Line } from '../log/lines.ts'
import { LogReader, type LogSink, type LogTotals } from '../log/log.ts'
import { readLine } from '../log/record.ts'
import { type ReadBytes, type SkimBatch, type SkimLogOptions, skimLog } from './skim-log.ts'
import { SkimTable } from './skim-table.ts'
import { SkimmedRow } from './skimmed-row.ts'
import type { Skimmer } from './skimmer.ts'

/** Who listens while a log is skimmed: plain rows come as facts, which hold until the next, all other lines as records. */
export interface FactsSink extends LogSink {
  row(facts: RowFacts): void
  /** Takes rows, up to one, and gives the first that it did not take: that has to be given as any other. */
  take(rows: SkimmedRows, from: number, to: number): number
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
  const table = new SkimTable(skimmer, skimmed, file)
  let taken = 0
  const rows = (batch: SkimBatch) => {
    table.set(batch)
    for (let row = 0; row < batch.rows; row++) {
      const from = row
      row = sink.take(table, from, batch.rows)
      for (let one = from; one < row; one++) reader.passRecord(skimmer.length(one), batch.complete)
      if (row < batch.rows) giveRow(skimmer, skimmed, batch, row, file, sink, reader)
    }
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
