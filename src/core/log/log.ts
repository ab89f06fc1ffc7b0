import type { Diagnostic } from './diagnostic.ts'
import { type Line, LineSplitter, type SplitOptions } from './lines.ts'
import { isBlankLine, type LogRecord, readLine, readOversize } from './record.ts'

/** Where every byte of a log went. The five byte counts add up to `bytes`. */
export interface LogTotals {
  bytes: number
  recordBytes: number
  diagnosticBytes: number
  /** Newlines, blanks, carriage returns and byte order marks. */
  separatorBytes: number
  /** The last line, where it has no newline and is not a whole record yet. */
  pendingBytes: number
  /** Lines that hold something. */
  lines: number
  blankLines: number
  records: number
  /** The end of the last line that has its newline: what has been read for good. */
  endOffset: number
  endLine: number
}

/** Who listens while a log is read. */
export interface LogSink {
  /** `bytes` are the record's own, valid until the next line; empty for one that was too long to hold. */
  record(record: LogRecord, bytes: Uint8Array): void
  diagnostic?(diagnostic: Diagnostic): void
}

/** Reads a log chunk by chunk, in file order, and accounts for every byte. Never throws on data. */
export class LogReader {
  readonly totals: LogTotals
  readonly #file: string
  readonly #sink: LogSink
  readonly #splitter: LineSplitter
  readonly #start: number
  /** The first bytes of a file, held until there are enough to tell its encoding. */
  #head: Uint8Array | undefined
  #isUtf16 = false

  constructor(file: string, sink: LogSink, options: SplitOptions = {}) {
    this.#file = file
    this.#sink = sink
    this.#start = options.offset ?? 0
    this.#splitter = new LineSplitter(options)
    this.#head = this.#start === 0 ? new Uint8Array(0) : undefined
    this.totals = {
      bytes: 0,
      recordBytes: 0,
      diagnosticBytes: 0,
      separatorBytes: 0,
      pendingBytes: 0,
      lines: 0,
      blankLines: 0,
      records: 0,
      endOffset: this.#start,
      endLine: options.line ?? 0,
    }
  }

  push(chunk: Uint8Array): void {
    this.totals.bytes += chunk.length
    if (this.#head) this.#pushHead(chunk)
    else if (!this.#isUtf16) this.#splitter.push(chunk, this.#onLine)
  }

  /** Ends the file: what is left is a provisional record or the pending tail. */
  finish(): LogTotals {
    if (this.#head) this.#openHead(this.#head)
    if (this.#isUtf16) this.#reportUtf16()
    else this.#splitter.finish(this.#onLine)
    return this.totals
  }

  /** Takes a line that was split elsewhere. */
  takeLine(line: Line): void {
    this.#onLine(line)
  }

  /** Counts a line that is one whole record, and was read elsewhere. */
  passRecord(length: number, complete: boolean): void {
    const { totals } = this
    totals.recordBytes += length
    totals.records += 1
    totals.lines += 1
    if (complete) totals.separatorBytes += 1
  }

  /** Counts lines that are empty but for their newline. */
  passBlank(count: number): void {
    this.totals.separatorBytes += count
    this.totals.blankLines += count
  }

  #pushHead(chunk: Uint8Array): void {
    const held = this.#head as Uint8Array
    const head = held.length === 0 ? chunk : concat(held, chunk)
    if (head.length < 4) this.#head = head.slice()
    else this.#openHead(head)
  }

  #openHead(head: Uint8Array): void {
    this.#head = undefined
    this.#isUtf16 = isUtf16(head)
    if (!this.#isUtf16) this.#splitter.push(head, this.#onLine)
  }

  #reportUtf16(): void {
    const { totals } = this
    totals.diagnosticBytes = totals.bytes
    totals.endOffset = totals.bytes
    const place = { file: this.#file, line: 1, offset: 0, length: totals.bytes }
    const message = 'The file is UTF-16; logs are UTF-8. Convert it, for example with iconv, to read it.'
    this.#sink.diagnostic?.({ code: 'UTF16', message, place, salvaged: false })
  }

  readonly #onLine = (line: Line): void => {
    const { totals } = this
    if (line.complete) {
      totals.endOffset = line.offset + line.length + 1
      totals.endLine = line.line
      totals.separatorBytes += 1
    }
    const place = { file: this.#file, line: line.line, offset: line.offset, length: line.length }
    const { value, diagnostics } = line.hash === undefined ? readLine(line.bytes, place) : readOversize(line, place)
    if (!line.complete && !isOneRecord(value, diagnostics)) {
      totals.pendingBytes += line.length
      return
    }
    const owned = this.#give(line, value, diagnostics)
    totals.separatorBytes += line.length - owned
    if (owned === 0 && isBlankLine(line.bytes)) totals.blankLines += 1
    else totals.lines += 1
  }

  /** Hands on what a line held, and gives the bytes of the line that a record or a diagnostic owns. */
  #give(line: Line, records: readonly LogRecord[], diagnostics: readonly Diagnostic[]): number {
    const { totals } = this
    let owned = 0
    for (const record of records) {
      const from = record.place.offset - line.offset
      const bytes = line.bytes.subarray(from, from + record.place.length)
      owned += record.place.length
      totals.recordBytes += record.place.length
      totals.records += 1
      this.#sink.record(line.complete ? record : { ...record, provisional: true }, bytes)
    }
    for (const diagnostic of diagnostics) {
      if (!diagnostic.salvaged) {
        owned += diagnostic.place.length
        totals.diagnosticBytes += diagnostic.place.length
      }
      this.#sink.diagnostic?.(diagnostic)
    }
    return owned
  }
}

/** Reads a log that is already in memory. */
export function readLog(bytes: Uint8Array, file = ''): LogContents {
  const records: LogRecord[] = []
  const diagnostics: Diagnostic[] = []
  const reader = new LogReader(file, { record: (r) => records.push(r), diagnostic: (d) => diagnostics.push(d) })
  reader.push(bytes)
  return { records, diagnostics, totals: reader.finish() }
}

export interface LogContents {
  readonly records: readonly LogRecord[]
  readonly diagnostics: readonly Diagnostic[]
  readonly totals: LogTotals
}

/** A last line without newline counts as a record only when it is exactly one. */
export function isOneRecord(records: readonly LogRecord[], diagnostics: readonly Diagnostic[]): boolean {
  return records.length === 1 && records[0]?.kind !== 'oversize' && diagnostics.every((d) => d.salvaged)
}

/** Whether a file begins as text in UTF-16 does. */
export function isUtf16(head: Uint8Array): boolean {
  const [a, b, c, d] = head
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true
  // Without a mark: `{"` with a NUL beside each character.
  return (a === 0x7b && b === 0 && c === 0x22 && d === 0) || (a === 0 && b === 0x7b && c === 0 && d === 0x22)
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
