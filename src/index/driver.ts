import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
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
  /**
   * Those of the columns that hold JSON of ours, and are never null. It has no line breaks, and is handed over in lines: to put it in
   * quotes once more, and to take it out, takes three times as long.
   */
  readonly json?: readonly string[]
}

/**
 * All rows of a query of texts and numbers. They lie in columns, and a row looks its values up there when it is asked for them: of
 * many rows and columns few are.
 */
export function selectAll(database: Database, query: Query, ...values: SqlValue[]): Row[] {
  const columns = selectColumns(database, query, ...values)
  class ColumnRow {
    readonly nth: number
    constructor(nth: number) {
      this.nth = nth
    }
  }
  for (const [name, list] of Object.entries(columns)) {
    const get = function (this: ColumnRow) {
      return list[this.nth]
    }
    Object.defineProperty(ColumnRow.prototype, name, { get, enumerable: true })
  }
  const [first = []] = Object.values(columns)
  return first.map((_, nth) => new ColumnRow(nth) as unknown as Row)
}

/**
 * The same column by column, for thousands of rows of numbers. Each column comes as one JSON text, as the drivers take five times as
 * long to hand over each value by itself. A fraction has fifteen digits in it, unless it is asked for `exactly`.
 */
export function selectColumns(database: Database, query: Query, ...values: SqlValue[]): Columns {
  const { columns, from, order, json = [] } = query
  const named = columns.map(namedColumn)
  const rows = `(select ${named.map(({ name, value }) => `${value} as ${name}`).join(', ')} from ${from} order by ${order})`
  const lists = named.map(({ name, value }) => {
    const asked = order ? name : value
    return json.includes(name) ? `group_concat(${asked}, char(10)) as ${name}` : `json_group_array(${asked}) as ${name}`
  })
  const row = prepared(database, `select ${lists.join(', ')} from ${order ? rows : from}`).get(...values) as Row
  const listOf = (name: string, text: string | null) =>
    json.includes(name) ? (text?.split('\n') ?? []) : (parseJson(text as string) as SqlValue[])
  return Object.fromEntries(Object.entries(row).map(([name, text]) => [name, listOf(name, text as string | null)]))
}

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

/** Columns of a query by their names, each with a value for every row. */
export type Columns = Readonly<Record<string, readonly SqlValue[]>>

function namedColumn(column: string): { readonly name: string; readonly value: string } {
  const [, value, name] = /^(.*) as (\w+)$/s.exec(column) ?? ['', column, column.replace(/^\w+\./, '')]
  return { name: name as string, value: value as string }
}

/** A column of fractions as texts with all their digits. */
export function exactly(column: string): string {
  return `format('%!.17g', ${column}) as ${column}`
}

/**
 * Before this version two processes that write and checkpoint at once can lose what was committed, and that is just what
 * several annals do.
 */
const OLDEST = '3.51.3'

/** Opens a database file, or `:memory:`, with the addon that comes with annals, else with Node's own SQLite. */
export function openDatabase(path: string, options: { readonly readOnly?: boolean } = {}): Database {
  const Driver = loadDriver()
  if (compareVersions(sqliteVersion(), OLDEST) < 0) {
    throw new Failure('CANNOT_RUN', `SQLite ${sqliteVersion()} is too old for a shared index; ${OLDEST} is needed.`, {
      hint: 'Reinstall annals, or use Node 24.',
    })
  }
  return new Driver(path, options)
}

let version: string | undefined

/** The version of SQLite in use. Asked in memory: a file may be busy just then. */
export function sqliteVersion(): string {
  if (version === undefined) {
    const database = new (loadDriver())(':memory:')
    version = String(database.prepare('select sqlite_version() as version').get()?.version)
    database.close()
  }
  return version
}

type Driver = new (path: string, options?: { readonly readOnly?: boolean }) => Database

let loaded: Driver | undefined

/** Whether there is one: without it nothing is known of all logs, but one can still be read. */
export function hasSqlite(): boolean {
  try {
    loadDriver()
    return true
  } catch {
    return false
  }
}

const ADDON = '@photostructure/sqlite'

function loadDriver(): Driver {
  if (loaded) return loaded
  const load = createRequire(import.meta.url)
  const drivers = [() => prebuiltAddon(load), () => ADDON, () => 'node:sqlite']
  for (const driver of drivers) {
    try {
      const { DatabaseSync } = load(driver()) as { DatabaseSync: Driver }
      loaded = DatabaseSync
      return loaded
    } catch {
      // Tried the next one; when none loads, that is told below.
    }
  }
  throw new Failure('CANNOT_RUN', 'There is no SQLite for this Node.', {
    hint: 'Reinstall annals, or use Node 24. `annals show`, `tail`, `outline`, `read`, `find`, `tree`, `context`, `files`, `plans`, `todos`, `export` and `check` of one FILE work without it.',
  })
}

/** The file of the addon itself: the package's own search for it, and Node's for the package, take longer than to load it. */
function prebuiltAddon(load: NodeJS.Require): string {
  const file = `${ADDON}/prebuilds/${process.platform}-${process.arch}/@photostructure+sqlite.glibc.node`
  const folders = load.resolve.paths(ADDON) ?? []
  return join(folders.find((folder) => existsSync(join(folder, file))) ?? '', file)
}

function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => version.split('.').map(Number))
  for (let i = 0; i < 3; i++) {
    const difference = (x?.[i] ?? 0) - (y?.[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
