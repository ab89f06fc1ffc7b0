import type { ReactNode } from 'react'

/** A column of a table: its name, how a row fills it, and whether it holds figures. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  readonly isFigure?: boolean
  /** Left out on narrow screens. */
  readonly isExtra?: boolean
}

/** A table that scrolls in itself where the screen is too narrow for it. */
export function Table<Row>(props: {
  readonly label: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly columns: readonly Column<Row>[]
  readonly footer?: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section aria-label={props.label} tabIndex={0} className="-mx-1 overflow-x-auto px-1">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="text-left text-muted">
            {props.columns.map((column) => (
              <th key={column.name} scope="col" className={`pr-4 pb-1.5 font-medium last:pr-0 ${classOf(column)}`}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.keyOf(row)} className="border-t border-line align-baseline">
              {props.columns.map((column) => (
                <td key={column.name} className={`py-1.5 pr-4 [overflow-wrap:break-word] last:pr-0 ${classOf(column)}`}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {props.footer}
      </table>
    </section>
  )
}

function classOf({ isFigure, isExtra }: Column<never>): string {
  return `${isFigure ? 'text-right whitespace-nowrap tabular-nums' : ''} ${isExtra ? 'hidden sm:table-cell' : ''}`
}
