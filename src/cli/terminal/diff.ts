import { structuredPatch } from 'diff'
import type { Compare } from '../../core/tools/edit-hunks.ts'
import type { Hunk } from '../../core/tools/tool-call.ts'
import type { FileDiff } from '../../core/tools/tool-diff.ts'
import { moreLines } from './fold.ts'
import { plain } from './sanitize.ts'
import type { Style } from './style.ts'
import { truncate } from './width.ts'

/** How a change is shown. */
export interface DiffOptions {
  readonly style: Style
  readonly width: number
  /** How many lines before the rest is only counted. */
  readonly maxLines: number
  /** How all of them are shown. */
  readonly unfold?: string | undefined
}

/** Compares two texts line by line. */
export const compareLines: Compare = (before, after, maxEditLength) =>
  structuredPatch('', '', before, after, undefined, undefined, { context: 3, maxEditLength })?.hunks

interface Row {
  readonly sign: string
  readonly text: string
  readonly number: number | undefined
}

const BETWEEN_HUNKS: Row = { sign: '⋯', text: '', number: undefined }

/** A change as lines for a terminal: numbered by the new file, what was removed by the old one, where that is known. */
export function renderDiff(
  { hunks, isNumbered }: FileDiff,
  { style, width, maxLines, unfold }: DiffOptions,
): readonly string[] {
  const rows = hunks.flatMap((hunk, at) => (at === 0 ? rowsOf(hunk) : [BETWEEN_HUNKS, ...rowsOf(hunk)]))
  const hidden = rows.length - maxLines > 1 ? rows.length - maxLines : 0
  const shown = hidden > 0 ? rows.slice(0, maxLines) : rows
  const digits = shown.reduce((most, { number }) => Math.max(most, String(number ?? '').length), 0)
  const lines = shown.map(({ sign, text, number }) => {
    const gutter = isNumbered ? `${String(number ?? '').padStart(digits)} ` : ''
    const line = truncate(`${sign} ${plain(text).replaceAll('\n', '␊')}`.trimEnd(), width - gutter.length)
    return style.dim(gutter) + paintOf(sign, style)(line)
  })
  return hidden > 0 ? [...lines, style.dim(truncate(moreLines(hidden, unfold), width))] : lines
}

function rowsOf({ oldStart, newStart, lines }: Hunk): Row[] {
  // That all lines of a file end with CR LF is no news; that one differs from another by its CR is.
  const isCrlf = lines.every((line) => line.endsWith('\r') || line.startsWith('\\') || line.length <= 1)
  let [oldNumber, newNumber] = [oldStart, newStart]
  return lines.map((line) => {
    const sign = line.slice(0, 1)
    const text = isCrlf && line.endsWith('\r') ? line.slice(1, -1) : line.slice(1)
    if (sign === '\\') return { sign, text: text.trimStart(), number: undefined }
    if (sign === '-') return { sign, text, number: oldNumber++ }
    if (sign !== '+') oldNumber++
    return { sign: sign === '+' ? sign : ' ', text, number: newNumber++ }
  })
}

function paintOf(sign: string, style: Style): (text: string) => string {
  if (sign === '+') return style.added
  if (sign === '-') return style.removed
  return sign === ' ' ? (text) => text : style.dim
}
