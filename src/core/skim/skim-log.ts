import { type Line, LineSplitter, MAX_LINE_BYTES, type RunningHash } from '../log/lines.ts'
import type { Skimmer } from './skimmer.ts'

/** Fills `into` with the bytes of a log from a position on. Gives how many; fewer than asked for only at the end. */
export type ReadBytes = (into: Uint8Array, position: number) => number

/** Rows that have just been skimmed, and where they stand. */
export interface SkimBatch {
  readonly rows: number
  /** The position in the log of the first byte of `skimmer.bytes`. */
  readonly offset: number
  /** How many lines of the log precede this skim. */
  readonly line: number
  /** False for the last line of a log that does not end with a newline: it may still change. */
  readonly complete: boolean
}

/** A place between two lines. */
export interface SkimPlace {
  readonly offset: number
  readonly line: number
}

export interface SkimLogOptions {
  /** Where to begin; the start of the log if left out. */
  readonly from?: SkimPlace
  readonly maxLineBytes?: number
  readonly hash?: () => RunningHash
}

/** Who hears of the rows of a log, and of lines too long to hold. */
export interface SkimListener {
  rows(batch: SkimBatch): void
  oversize(line: Line): void
}

/**
 * Skims a log through the skimmer's one buffer, which grows with the longest line. Gives the place behind the last line that ends
 * with a newline: where a later skim goes on.
 */
export function skimLog(
  skimmer: Skimmer,
  read: ReadBytes,
  listener: SkimListener,
  options: SkimLogOptions = {},
): SkimPlace {
  const max = options.maxLineBytes ?? MAX_LINE_BYTES
  let { offset, line } = options.from ?? { offset: 0, line: 0 }
  let held = 0
  while (true) {
    // A buffer for the longest line and its newline, and no more: what does not fit is too long.
    const size = Math.min(skimmer.bytes.length, max + 1)
    const filled = held + read(skimmer.bytes.subarray(held, size), offset + held)
    const to = skimmer.bytes.subarray(0, filled).lastIndexOf(NEWLINE) + 1
    if (to > 0) {
      line += skimAll(skimmer, to, offset, line, listener)
      skimmer.bytes.copyWithin(0, to, filled)
      offset += to
    }
    held = filled - to
    if (filled < size) break
    if (held < size) continue
    if (size <= max) {
      skimmer.reserve(Math.min(2 * size, max + 1))
      continue
    }
    const behind = passOversize(skimmer, read, { offset, line }, options, listener)
    if (behind === undefined) return { offset, line }
    offset = behind.offset
    line = behind.line
    held = 0
  }
  if (held > 0) skimLast(skimmer, held, { offset, line }, listener)
  return { offset, line }
}

const NEWLINE = 0x0a

/** Skims all lines of the buffer up to an offset and gives how many there were. */
function skimAll(skimmer: Skimmer, to: number, offset: number, line: number, listener: SkimListener): number {
  let from = 0
  let passed = 0
  while (from < to) {
    const rows = skimmer.skim(from, to)
    const lines = skimmer.skimmedLines
    from = skimmer.skimmedTo
    if (rows > 0) listener.rows({ rows, offset, line: line + passed, complete: true })
    passed += lines
  }
  return passed
}

/** The last line, which is given the newline that it lacks: the buffer has room for it. */
function skimLast(skimmer: Skimmer, held: number, { offset, line }: SkimPlace, listener: SkimListener): void {
  skimmer.end(held)
  if (skimmer.skim(0, held + 1) > 0) listener.rows({ rows: 1, offset, line, complete: false })
}

/** Passes a line too long to hold, and gives the place behind it; `undefined` where the log ends before it does. */
function passOversize(
  skimmer: Skimmer,
  read: ReadBytes,
  start: SkimPlace,
  options: SkimLogOptions,
  listener: SkimListener,
): SkimPlace | undefined {
  const splitter = new LineSplitter({ ...options, ...start })
  let position = start.offset
  while (true) {
    const got = read(skimmer.bytes, position)
    const newline = skimmer.bytes.subarray(0, got).indexOf(NEWLINE)
    const to = newline === -1 ? got : newline + 1
    position += to
    splitter.push(skimmer.bytes.subarray(0, to), listener.oversize)
    if (newline !== -1) return { offset: position, line: start.line + 1 }
    if (got < skimmer.bytes.length) break
  }
  splitter.finish(listener.oversize)
  return undefined
}
