import { harmless } from '../core/formula.ts'
import { shownText } from './shown-text.ts'

/** What stands in a cell. */
export type Cell = string | number | boolean | null

/**
 * A line of a table. Texts stand in quotes; one that a spreadsheet would take for a formula gets an apostrophe before it,
 * unless the cells are for a program. Numbers are numbers, and what is not known is empty.
 */
export function csvLine(cells: readonly Cell[], options: { readonly escape: boolean }): string {
  return `${cells.map((cell) => csvCell(cell, options)).join(',')}\n`
}

function csvCell(cell: Cell, options: { readonly escape: boolean }): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = options.escape ? harmless(shownText(cell)) : cell
  return `"${text.replaceAll('"', '""')}"`
}
