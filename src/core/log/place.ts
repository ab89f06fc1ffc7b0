/** Where something stands in a log: enough to read its bytes again. */
export interface Place {
  /** Absolute path of the file. */
  readonly file: string
  /** Line number, counted from 1. */
  readonly line: number
  /** Offset of the first byte. */
  readonly offset: number
  /** Length in bytes, without the newline. */
  readonly length: number
}

/** A stretch of the same line as `place`, `from` and `to` counted in bytes from its first one. */
export function within(place: Place, from: number, to: number): Place {
  return { file: place.file, line: place.line, offset: place.offset + from, length: to - from }
}
