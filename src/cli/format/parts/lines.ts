import { plain } from '../../terminal/sanitize.ts'
import { truncate, wrap } from '../../terminal/width.ts'
import type { View } from '../../view.ts'

/** Parts of a line with dots between them; those that say nothing are left out. */
export function dotted(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ')
}

/** Lines behind some spaces. */
export function indent(lines: readonly string[], by: number | string): string[] {
  const lead = typeof by === 'number' ? ' '.repeat(by) : by
  return lines.map((line) => (line === '' ? lead.trimEnd() : lead + line))
}

/** Sections with an empty line between them; those without lines are left out. */
export function spaced(sections: readonly (readonly string[])[]): string[] {
  return sections.filter((lines) => lines.length > 0).flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))
}

/** Commands to type next, on one quiet line. */
export function nextSteps(commands: readonly string[], view: View): string[] {
  return commands.length === 0 ? [] : [view.style.dim(truncate(commands.join('   '), view.width))]
}

/** A sentence for a result that holds nothing, and what to try. */
export function nothing(sentence: string, view: View, hint?: string): string[] {
  const lines = wrap(plain(sentence), view.width)
  return hint === undefined ? lines : [...lines, ...wrap(plain(hint), view.width).map(view.style.dim)]
}

/** The columns that prose is set in: long lines are hard to read, however wide the terminal is. */
export function measure(view: View): number {
  return view.width === Number.POSITIVE_INFINITY ? view.width : Math.min(view.width, WIDEST)
}

const WIDEST = 100
