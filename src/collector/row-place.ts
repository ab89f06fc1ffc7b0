import type { Cursor } from '../disk/cursor.ts'

/** More than a line can hold of records: one has at most 64 MiB. */
const PER_LINE = 2 ** 27

/** Where the lines after so many begin, as it is told to others. Bytes are not counted: they would tell how long each record is. */
export function placeAfter(lines: number): number {
  return lines * PER_LINE
}

/** Gives the rows of whole lines, in their order, the places by which they are known: the line, and which of its records. */
export function placed<T extends { readonly line: number }>(rows: readonly T[]): (T & { readonly offset: number })[] {
  let line = 0
  let number = 0
  return rows.map((row) => {
    number = row.line === line ? number + 1 : 0
    line = row.line
    return { ...row, offset: placeAfter(line - 1) + number }
  })
}

/** Whether a log was read to the very place that a mark names. */
export function isAt({ line }: Cursor, place: number): boolean {
  return place === placeAfter(line)
}
