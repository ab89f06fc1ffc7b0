import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import type { Columns, ColumnType, TableRow } from './columns.ts'

/** A row group is written when it has so many rows, or texts of so many characters: no more of a table is in memory. */
const GROUP_ROWS = 20_000
const GROUP_CHARS = 8 * 1024 * 1024

/** A table as the pieces of a Parquet file. */
export async function* parquetPieces<C extends Columns>(
  columns: C,
  rows: Iterable<TableRow<C>> | AsyncIterable<TableRow<C>>,
): AsyncGenerator<Uint8Array> {
  const names = Object.keys(columns)
  const writer = new ByteWriter()
  const columnsOf = (group: readonly TableRow<C>[]) =>
    names.map((name) => ({
      name,
      type: columns[name] as ColumnType,
      data: group.map((row) => toParquet(columns[name] as ColumnType, row[name] ?? null)),
    }))
  const file = new ParquetWriter({ writer, schema: schemaFromColumnData({ columnData: columnsOf([]) }) })
  const flushed = () => {
    const bytes = writer.getBytes().slice()
    writer.index = 0
    return bytes
  }
  let group: TableRow<C>[] = []
  let chars = 0
  for await (const row of rows) {
    group.push(row)
    for (const name of names) chars += String(row[name] ?? '').length
    if (group.length < GROUP_ROWS && chars < GROUP_CHARS) continue
    await file.write({ columnData: columnsOf(group), rowGroupSize: group.length })
    yield flushed()
    group = []
    chars = 0
  }
  if (group.length > 0) await file.write({ columnData: columnsOf(group), rowGroupSize: group.length })
  await file.finish()
  yield flushed()
}

function toParquet(type: ColumnType, value: string | number | boolean | null) {
  if (value === null) return null
  if (type === 'INT64') return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : null
  if (type !== 'TIMESTAMP') return value
  const time = new Date(String(value))
  return Number.isNaN(time.getTime()) ? null : time
}
