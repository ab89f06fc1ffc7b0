import { type ColumnsOptions, columns } from '../../terminal/columns.ts'

/** A table without the columns in which no row says anything: they would only be gaps. */
export function table(rows: readonly (readonly string[])[], options: ColumnsOptions): string[] {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const filled = Array.from({ length: count }, (_, at) => at).filter((at) => rows.some((row) => row[at]))
  return columns(
    rows.map((row) => filled.map((at) => row[at] ?? '')),
    {
      ...options,
      align: filled.map((at) => options.align?.[at]),
      ...(options.flex && { flex: filled.flatMap((at, i) => (options.flex?.includes(at) ? [i] : [])) }),
    },
  )
}
