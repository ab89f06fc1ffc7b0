import { harmless } from '../../core/formula.ts'
import type { Static } from '../../core/schema.ts'
import type { sql } from '../../ops/sql.ts'
import { columns } from '../terminal/columns.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { width as widthOf, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { nothing, spaced } from './parts/lines.ts'

type Selected = Static<typeof sql.result>
type Value = Selected['rows'][number][number]

/** Rows as a table, below each other where they are too wide for one, or as CSV; without a query the views. */
export function formatSql({ columns: names, rows }: Selected, view: View): readonly string[] {
  if (view.input.csv === true) return [names, ...rows].map(csvLine)
  if (rows.length === 0) return nothing('No rows.', view)
  if (names[0] === 'view' && view.input.query === undefined) return viewLines(rows, view)
  const heads = names.map(oneLine)
  const cells = rows.map((row) => row.map(cellOf))
  const least = heads.reduce((sum, head) => sum + Math.max(MIN_WIDTH, widthOf(head)) + GAP, -GAP)
  if (least > view.width) return spaced(cells.map((row) => blockLines(heads, row, view)))
  const isNumeric = names.map((_, at) => rows.every((row) => typeof row[at] !== 'string'))
  return columns([heads.map(view.style.strong), ...cells], {
    width: view.width,
    gap: GAP,
    align: isNumeric.map((is) => (is ? 'right' : 'left')),
  })
}

const GAP = 2
/** Columns that are narrower say nothing. */
const MIN_WIDTH = 6

/** One row of too many columns. */
function blockLines(heads: readonly string[], row: readonly string[], view: View): string[] {
  return columns(
    heads.map((head, at) => [view.style.dim(head), row[at] ?? '']),
    { width: view.width, gap: GAP, flex: [1] },
  )
}

function cellOf(value: Value): string {
  if (value === null) return '–'
  if (typeof value === 'string') return oneLine(value)
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(6)))
}

/** A line of CSV, but for its newline: the carriage return before that belongs to it. */
function csvLine(values: readonly Value[]): string {
  return `${values.map(csvCell).join(',')}\r`
}

function csvCell(value: Value): string {
  if (value === null) return ''
  // A number is no formula, whatever its sign.
  const text = typeof value === 'string' ? harmless(plain(value)) : String(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function viewLines(rows: Selected['rows'], view: View): readonly string[] {
  const texts = rows.map((row) => row.map((cell) => oneLine(String(cell ?? ''))))
  const room = texts.reduce((most, [, name = '']) => Math.max(most, name.length), 0)
  return spaced([
    ...[...new Set(texts.map(([name]) => name))].map((name) => {
      const [[, , about = ''] = [], ...listed] = texts.filter((row) => row[0] === name)
      return [
        ...wrap(`${view.style.title(name ?? '')}  ${about}`, view.width),
        ...listed.flatMap(([, column = '', meaning = '']) =>
          wrap(meaning, view.width, ' '.repeat(room + 4)).map((line, at) =>
            at === 0 ? `  ${view.style.accent(column.padEnd(room))}${line.slice(room + 2)}` : line,
          ),
        ),
      ]
    }),
    wrap('For example: annals sql "select title, cost_usd from sessions order by cost_usd desc limit 10"', view.width),
  ])
}
