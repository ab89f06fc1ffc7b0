import { padEnd, padStart, truncate, width as widthOf } from './width.ts'

/** One line of text that is already plain; it may be painted. */
export type Cell = string

/** How a table is laid out. */
export interface ColumnsOptions {
  /** How many columns of the terminal a row may take; `Infinity` when nobody looks on. */
  readonly width: number
  /** Per column; left unless said otherwise. */
  readonly align?: readonly ('left' | 'right' | undefined)[]
  /** Spaces between two columns, two unless said otherwise. */
  readonly gap?: number
  /** Which columns give way when a row is too wide; those aligned left unless said otherwise. */
  readonly flex?: readonly number[]
}

/** A table without borders, one line a row. A row that is too wide is shortened with `…` in its flexible columns. */
export function columns(rows: readonly (readonly Cell[])[], options: ColumnsOptions): string[] {
  const { width, align = [], gap = 2 } = options
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const natural = Array.from({ length: count }, (_, at) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 0),
  )
  const flex = options.flex ?? natural.map((_, at) => at).filter((at) => align[at] !== 'right')
  const widths = fitWidths(natural, width - gap * (count - 1), flex)
  return rows.map((row) => {
    const cells = widths.map((room, at) => {
      const cell = truncate(row[at] ?? '', room)
      return align[at] === 'right' ? padStart(cell, room) : padEnd(cell, room)
    })
    return truncate(cells.join(' '.repeat(gap)).trimEnd(), width)
  })
}

/** A column of a list. Which ones are shown, and in which order, depends on the width alone: lists keep their shape. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => Cell
  readonly align?: 'right'
  /** The least width of a terminal at which it is shown; without it always. */
  readonly from?: number
  /** Takes what room the others leave. */
  readonly flex?: true
  /** A cell that is wider is shortened. */
  readonly most?: number
}

/** The heading of a list and its rows, one line each. */
export interface List {
  readonly head: string
  readonly rows: readonly string[]
}

/** Lays rows out in those columns that a terminal has room for; without a terminal in all of them, whole and with tabs between. */
export function listOf<Row>(rows: readonly Row[], all: readonly Column<Row>[], width: number): List {
  const shown = all.filter(({ from = 0 }) => width >= from)
  const cells = rows.map((row) => shown.map((column) => cellOf(column, row, width)))
  if (width === Number.POSITIVE_INFINITY) {
    return { head: shown.map(({ name }) => name).join('\t'), rows: cells.map((row) => row.join('\t')) }
  }
  const [head = '', ...lines] = columns([shown.map(({ name }) => name), ...cells], {
    width,
    align: shown.map(({ align }) => align),
    flex: shown.flatMap(({ flex }, at) => (flex ? [at] : [])),
  })
  return { head, rows: lines }
}

function cellOf<Row>({ cell, most }: Column<Row>, row: Row, width: number): Cell {
  const text = cell(row)
  return most === undefined || width === Number.POSITIVE_INFINITY ? text : truncate(text, most)
}

/** Shrinks the flexible widths, widest first, until all fit into `room`; none falls below one. */
export function fitWidths(natural: readonly number[], room: number, flex: readonly number[]): number[] {
  const isFlexible = new Set(flex)
  const widths = [...natural]
  const narrowFirst = natural
    .map((wanted, at) => ({ wanted, at }))
    .filter(({ at }) => isFlexible.has(at))
    .sort((a, b) => a.wanted - b.wanted)
  let left = room - natural.reduce((sum, wanted, at) => (isFlexible.has(at) ? sum : sum + wanted), 0)
  narrowFirst.forEach(({ wanted, at }, done) => {
    const share = Math.floor(left / (narrowFirst.length - done))
    const given = Math.min(wanted, Math.max(1, share))
    widths[at] = given
    left -= given
  })
  return widths
}
