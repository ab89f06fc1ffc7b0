import type { Database, SqlValue, Statement } from '../../index/driver.ts'
import { Inserts } from '../../index/inserts.ts'
import type { Columns } from './store-reader.ts'

type NewRow = Readonly<Record<string, SqlValue | undefined>>

/** Adds rows to a table: thousands with the same columns, as a rule. */
export function inserter(database: Database, table: string): (row: NewRow) => void {
  let columns: readonly string[] = []
  let statement: Statement | undefined
  return (row) => {
    const names = Object.keys(row)
    if (!statement || names.length !== columns.length || names.some((name, i) => name !== columns[i])) {
      columns = names
      statement = database.prepare(`insert or ignore into ${table} (${names.map((name) => `"${name}"`).join(', ')})
        values (${names.map(() => '?').join(', ')})`)
    }
    statement.run(...names.map((name) => row[name] ?? null))
  }
}

/** Adds rows that came column by column. */
export function putColumns(database: Database, table: string, columns: Columns): void {
  const inserts = new Inserts(database, `or ignore into ${table}`, Object.keys(columns))
  const lists = Object.values(columns)
  const [first = []] = lists
  for (let nth = 0; nth < first.length; nth++) inserts.add(...lists.map((list) => list[nth] as SqlValue))
  inserts.flush()
}

/** Many rows go in together. */
export function inOne(database: Database, action: () => void): void {
  database.exec('savepoint fetching')
  try {
    action()
    database.exec('release fetching')
  } catch (error) {
    database.exec('rollback to fetching; release fetching')
    throw error
  }
}
