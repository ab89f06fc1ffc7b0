import { plain } from '../../terminal/sanitize.ts'
import { truncate, width as widthOf, wrap } from '../../terminal/width.ts'
import type { View } from '../../view.ts'

/** Lines for a person. From `footerFrom` on they are no data: how many there were, what to type next. Piped, those go to stderr. */
export interface Lines extends ReadonlyArray<string> {
  readonly footerFrom?: number
  /** The line that a pager is opened at. */
  readonly openAt?: number
}

/** Lines that are all said about the data, and are none themselves. */
export function footer(lines: readonly string[]): string[] & Lines {
  return withFooterFrom([...lines], 0)
}

/** Not enumerable: for whoever compares or copies them, they are only lines. */
function withFooterFrom(lines: string[], footerFrom: number): string[] & Lines {
  return Object.defineProperty(lines, 'footerFrom', { value: footerFrom })
}

/** Parts of a line with dots between them; those that say nothing are left out. */
export function dotted(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ')
}

/** The same on as many lines as it takes: a line ends between two parts, and inside of one only where that alone is too long. */
export function dottedLines(parts: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const part of parts.filter((one) => one !== '')) {
    const longer = dotted([lines.at(-1) ?? '', part])
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(...wrap(part, width))
  }
  return lines
}

/** Lines behind some spaces. */
export function indent(lines: readonly string[], by: number | string): string[] {
  const lead = typeof by === 'number' ? ' '.repeat(by) : by
  return lines.map((line) => (line === '' ? lead.trimEnd() : lead + line))
}

/** Sections with an empty line between them; those without lines are left out. Footers at their end stay footers. */
export function spaced(sections: readonly Lines[]): string[] & Lines {
  const shown = sections.filter((lines) => lines.length > 0)
  const data = shown.slice(0, shown.findLastIndex((lines) => lines.footerFrom !== 0) + 1)
  const footerFrom = data.reduce((sum, lines) => sum + lines.length, Math.max(0, data.length - 1))
  const joined: string[] = []
  shown.forEach((lines, at) => {
    if (at > 0) joined.push('')
    for (const line of lines) joined.push(line)
  })
  return withFooterFrom(joined, footerFrom)
}

/** Commands to type next, on one quiet line. */
export function nextSteps(commands: readonly string[], view: View): string[] & Lines {
  return footer(commands.length === 0 ? [] : [view.style.dim(truncate(commands.join('   '), view.width))])
}

/** A sentence for a result that holds nothing, and what to try. */
export function nothing(sentence: string, view: View, hint?: string): string[] & Lines {
  const lines = wrap(plain(sentence), view.width)
  return footer(hint === undefined ? lines : [...lines, ...wrap(plain(hint), view.width).map(view.style.dim)])
}

/** The columns that prose is set in: long lines are hard to read, however wide the terminal is. */
export function measure(view: View): number {
  return view.width === Number.POSITIVE_INFINITY ? view.width : Math.min(view.width, WIDEST)
}

const WIDEST = 100
