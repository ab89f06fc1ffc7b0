import { count } from './human.ts'
import { plain } from './sanitize.ts'
import type { Style } from './style.ts'
import { truncate } from './width.ts'

/** How much of a long text is shown. */
export interface FoldOptions {
  /** Lines shown from the beginning. */
  readonly head: number
  /** Lines shown from the end. */
  readonly tail?: number
  readonly columns: number
  /** How all of it is shown. */
  readonly unfold?: string | undefined
  /** Dims the line that says how much is missing. */
  readonly style?: Style
}

/** The first and last lines of some output, made plain, and between them how many were left out. */
export function foldLines(text: string, { head, tail = 0, columns, unfold, style }: FoldOptions): string[] {
  const lines = plain(text).trimEnd().split('\n')
  const hidden = lines.length - head - tail
  const cut = (line: string) => truncate(line, columns)
  // A line that says that one line is missing takes the place of that line.
  if (hidden <= 1) return lines.map(cut)
  const more = truncate(moreLines(hidden, unfold), columns)
  return [
    ...lines.slice(0, head).map(cut),
    style ? style.dim(more) : more,
    ...lines.slice(lines.length - tail).map(cut),
  ]
}

/** Says how many lines are not shown, and how they are. */
export function moreLines(hidden: number, unfold?: string): string {
  return `… ${count(hidden)} more ${hidden === 1 ? 'line' : 'lines'}${unfold === undefined ? '' : `: ${unfold}`}`
}
