import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { csvText, saveFile } from './csv.ts'
import { nextSort, type SortValue, sortedBy } from './sorting.ts'
import { countText } from './words.ts'

/** So many rows are added at a time: a table of thousands would hold up the page that draws it. */
const MORE = 100

/** A column of a table: its name, how a row fills it, and whether it holds figures. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  /** What it is sorted by, and what a file of it holds; without it, neither. */
  readonly value?: (row: Row) => SortValue
  readonly isFigure?: boolean
  /** Left out on narrow screens. */
  readonly isExtra?: boolean
}

/** A table that scrolls in itself where the screen is too narrow for it. Its columns sort it; it can be saved as CSV. */
export function Table<Row>(props: {
  readonly label: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly columns: readonly Column<Row>[]
  readonly footer?: ReactNode
  /** The name of the file, where it can be saved. */
  readonly file?: string
  /** What it is sorted by, where the address knows that; else it remembers it itself. */
  readonly sort?: { readonly by: string | undefined; readonly onChange: (by: string) => void }
  /** So many rows at first, after they are sorted; the others where one asks for them, some at a time. */
  readonly first?: number
}) {
  const { columns, file } = props
  const [own, setOwn] = useState<string | undefined>(undefined)
  const by = props.sort ? props.sort.by : own
  const setSort = props.sort?.onChange ?? setOwn
  const rows = sortedBy(props.rows, columns, by)
  const [most, setMost] = useState(props.first ?? MORE)
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section aria-label={props.label} tabIndex={0} className="-mx-1 overflow-x-auto px-1">
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr className="text-left text-muted">
              {columns.map((column) => (
                <th
                  key={column.name}
                  scope="col"
                  aria-sort={directionOf(column.name, by)}
                  className={`pr-4 pb-1.5 align-bottom font-medium [overflow-wrap:normal] last:pr-0 max-sm:whitespace-normal! ${classOf(column)}`}
                >
                  {column.value ? <SortButton column={column} by={by} onSort={setSort} /> : column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row) => (
              <tr key={props.keyOf(row)} className="border-t border-line align-baseline">
                {columns.map((column) => (
                  <td
                    key={column.name}
                    className={`py-1.5 pr-4 [overflow-wrap:break-word] last:pr-0 ${classOf(column)}`}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {props.footer}
        </table>
      </section>
      <p className="mt-2 flex empty:hidden">
        {rows.length > most ? (
          <Button look="quiet" onClick={() => setMost(most + MORE)}>
            {rows.length - most <= MORE
              ? `Show all ${countText(rows.length)}`
              : `Show ${MORE} more of ${countText(rows.length)}`}
          </Button>
        ) : null}
        {file === undefined ? null : (
          <Button
            look="quiet"
            className="ml-auto"
            title="Save this table as CSV"
            onClick={() => saveFile(`annals-${file}.csv`, csvOf(rows, columns), 'text/csv')}
          >
            Save as CSV
          </Button>
        )}
      </p>
    </div>
  )
}

/** The head of a column that sorts. */
export function SortButton(props: {
  readonly column: { readonly name: string; readonly isFigure?: boolean }
  readonly by: string | undefined
  readonly onSort: (by: string) => void
}) {
  const { name, isFigure = false } = props.column
  const direction = directionOf(name, props.by)
  return (
    <button
      type="button"
      onClick={() => props.onSort(nextSort(name, isFigure, props.by))}
      className={`relative [text-align:inherit] hover:text-ink sm:whitespace-nowrap ${direction ? 'text-ink' : ''}`}
    >
      {name}
      <span
        aria-hidden="true"
        className={`absolute top-1/2 -translate-y-1/2 text-[0.5rem] ${isFigure ? '-left-3' : '-right-3'}`}
      >
        {direction === 'ascending' ? '▲' : direction === 'descending' ? '▼' : ''}
      </span>
    </button>
  )
}

function directionOf(name: string, by: string | undefined): 'ascending' | 'descending' | undefined {
  return by === name ? 'ascending' : by === `-${name}` ? 'descending' : undefined
}

function csvOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const saved = columns.filter((column) => column.value)
  return csvText([saved.map(({ name }) => name), ...rows.map((row) => saved.map(({ value }) => value?.(row) ?? null))])
}

function classOf({ isFigure, isExtra }: Column<never>): string {
  return `${isFigure ? 'text-right whitespace-nowrap tabular-nums' : ''} ${isExtra ? 'hidden sm:table-cell' : ''}`
}
