import { type Column, listOf } from '../../terminal/columns.ts'
import type { View } from '../../view.ts'

/** A list under its heading; piped, the rows alone, with tabs between their cells. */
export function headed<Row>(rows: readonly Row[], columns: readonly Column<Row>[], { style, width }: View): string[] {
  if (rows.length === 0) return []
  const list = listOf(rows, columns, width)
  return width === Number.POSITIVE_INFINITY ? [...list.rows] : [style.dim(list.head), ...list.rows]
}
