import { parseJson } from '../core/json.ts'

/** What we use of SQLite: the part that `node:sqlite` and the addon for older Nodes have in common. */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  /** Asks about every part of a statement while it is prepared; Node's own SQLite has it from 24.10 on. */
  setAuthorizer?(judge: Authorizer | null): void
  function?(name: string, options: { readonly varargs: boolean }, call: (...values: SqlValue[]) => SqlValue): void
  close(): void
}

/** Judges a part of a statement: what is done, to what, and in which view that stands. 0 allows it, 1 refuses. */
export type Authorizer = (
  action: number,
  first: string | null,
  second: string | null,
  schema: string | null,
  view: string | null,
) => number

export type SqlValue = string | number | bigint | null | Uint8Array

export interface Statement {
  run(...values: SqlValue[]): { readonly lastInsertRowid: number | bigint; readonly changes: number | bigint }
  get(...values: SqlValue[]): Row | undefined
  all(...values: SqlValue[]): Row[]
  iterate(...values: SqlValue[]): Iterable<Row>
  columns?(): readonly { readonly name: string }[]
  setReturnArrays?(isArray: boolean): void
  setReadBigInts?(isBig: boolean): void
}

export type Row = Readonly<Record<string, SqlValue>>

/** A query for `selectAll`: a column is a name, or something `as` a name; `from` goes on with joins and conditions. */
export interface Query {
  readonly columns: readonly string[]
  readonly from: string
  readonly order?: string
  /** The columns that hold JSON we wrote: never null and without line breaks, so they are fetched unquoted, one per line. */
  readonly json?: readonly string[]
}

/**
 * All rows of a query of texts and numbers. Each column is fetched as one JSON text: both drivers take several times as long to
 * return thousands of values one by one. A fraction has fifteen digits, unless its column is wrapped in `exactly`.
 */
export function selectAll(database: Database, query: Query, ...values: SqlValue[]): Row[] {
  const { columns, from, order, json = [] } = query
  const named = columns.map(namedColumn)
  const rows = `(select ${named.map(({ name, value }) => `${value} as ${name}`).join(', ')} from ${from} order by ${order})`
  const lists = named.map(({ name, value }) => {
    const selected = order ? name : value
    return json.includes(name)
      ? `group_concat(${selected}, char(10)) as ${name}`
      : `json_group_array(${selected}) as ${name}`
  })
  const texts = prepared(database, `select ${lists.join(', ')} from ${order ? rows : from}`).get(...values) as Row
  const listOf = (name: string, text: string | null) =>
    json.includes(name) ? (text?.split('\n') ?? []) : (parseJson(text as string) as SqlValue[])
  const fetched = Object.entries(texts).map(([name, text]) => ({ name, list: listOf(name, text as string | null) }))
  return (fetched[0]?.list ?? []).map((_, nth) => {
    const row: Record<string, SqlValue> = {}
    for (const { name, list } of fetched) row[name] = list[nth] as SqlValue
    return row
  })
}

/** Prepared statements by connection: they go when it is closed. */
const statements = new WeakMap<Database, Map<string, Statement>>()

/** More would be made of texts that differ each time. */
const MOST_STATEMENTS = 200

/** A statement that is prepared once. It must be done before it is asked again: what is iterated over may not be one. */
export function prepared(database: Database, sql: string): Statement {
  const known = statements.get(database) ?? new Map<string, Statement>()
  if (known.size > MOST_STATEMENTS) known.clear()
  statements.set(database, known)
  const statement = known.get(sql) ?? database.prepare(sql)
  known.set(sql, statement)
  return statement
}

function namedColumn(column: string): { readonly name: string; readonly value: string } {
  const [, value, name] = /^(.*) as (\w+)$/s.exec(column) ?? ['', column, column.replace(/^\w+\./, '')]
  return { name: name as string, value: value as string }
}

/** A column of fractions as texts with all their digits. */
export function exactly(column: string): string {
  return `format('%!.17g', ${column}) as ${column}`
}
