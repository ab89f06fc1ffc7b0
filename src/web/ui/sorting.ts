/** What a column is sorted by; what is not known comes last either way. */
export type SortValue = string | number | null | undefined

/** A column one sorts by, as an address has it: its name, with a minus before it for the most first. */
export function sortedBy<Row, Column extends { readonly name: string; readonly value?: (row: Row) => SortValue }>(
  rows: readonly Row[],
  columns: readonly Column[],
  sort: string | undefined,
): readonly Row[] {
  const isFalling = sort?.startsWith('-') === true
  const value = columns.find(({ name }) => name === sort?.replace(/^-/, ''))?.value
  if (!value) return rows
  return rows.toSorted((a, b) => compare(value(a), value(b), isFalling))
}

function compare(a: SortValue, b: SortValue, isFalling: boolean): number {
  const [isNone, isNoneToo] = [a === null || a === undefined, b === null || b === undefined]
  if (isNone || isNoneToo) return Number(isNone) - Number(isNoneToo)
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b))
  return isFalling ? -order : order
}

/** What a click on the head of a column sorts by: figures by the most first, names from the start, then the other way. */
export function nextSort(name: string, isFigure: boolean, sort: string | undefined): string {
  const [first, second] = isFigure ? [`-${name}`, name] : [name, `-${name}`]
  return sort === first ? second : first
}
