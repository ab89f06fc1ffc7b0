import { Failure } from '../../core/failure.ts'
import type { Authorizer, Database, SqlValue } from '../driver.ts'
import { TABLES } from '../schema.ts'
import { openDatabase } from '../sqlite.ts'
import { type Refusal, refusalOf, toldError, toldWords } from './select-error.ts'
import { createViews, type Need, VIEWS } from './views.ts'

/** The rows of a query, with the names of their columns, which may be the same. */
export interface Selected {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SelectedValue[])[]
}

export type SelectedValue = string | number | null

/** Numbers of SQLite for what a statement does. */
const READ = 20
const SELECT = 21
const FUNCTION = 31
const RECURSIVE = 33

const ALLOWED = 0
const REFUSED = 1

/** Functions of SQLite that reach beyond the database, and those that are for the views alone. */
const NO_FUNCTIONS: ReadonlySet<string | null> = new Set(['load_extension', 'fts3_tokenizer'])
const VIEW_FUNCTIONS: ReadonlySet<string | null> = new Set(['cost_usd', 'read_text'])

function isFree(name: string | null, isInView: boolean): boolean {
  return !NO_FUNCTIONS.has(name) && (isInView || !VIEW_FUNCTIONS.has(name))
}

/** Tables of SQLite itself that read nothing but their arguments. */
const FREE_TABLES: ReadonlySet<string | null> = new Set(['json_each', 'json_tree'])

/**
 * Judges a query before any log is read for it: it may only read, and only the views. Gives what has to be there for it; one that
 * is wrong is told in a sentence.
 */
export function needsOf(sql: string): ReadonlySet<Need> {
  if (isEmpty(sql)) throw new Failure('USAGE', 'There is no query.', { hint: 'Run `annals sql` to see the views.' })
  if (isSeveral(sql)) throw new Failure('USAGE', 'Only one select at a time can be asked.')
  const database = openDatabase(':memory:')
  try {
    database.exec(TABLES)
    createViews(database)
    defineFunctions(database, { cost_usd: () => null, read_text: () => null })
    const { read } = prepared(database, sql)
    return new Set(
      VIEWS.filter(({ name }) => read.has(name)).flatMap((view) => [
        ...(view.needs ? [view.needs] : []),
        ...view.columns.flatMap(({ name, needs }) => (needs && read.get(view.name)?.has(name) ? [needs] : [])),
      ]),
    )
  } finally {
    database.close()
  }
}

/** What the views cannot tell by themselves: the cost of a response by its columns, and the text of a record by its place. */
export type ViewFunctions = Readonly<Record<'cost_usd' | 'read_text', (...values: SqlValue[]) => SqlValue>>

/** Gives the views their functions. */
export function defineFunctions(database: Database, functions: ViewFunctions): void {
  if (!database.function || !database.setAuthorizer) throw NO_AUTHORIZER
  for (const [name, call] of Object.entries(functions)) database.function(name, { varargs: true }, call)
}

const NO_AUTHORIZER = new Failure('CANNOT_RUN', 'This SQLite cannot keep a query from more than reading.', {
  hint: 'Reinstall annals, or use Node 24.10 or newer.',
})

/** So much is held at most; a query without an end would take all memory. */
const MOST_ROWS = 1_000_000
const MOST_CHARACTERS = 256 * 1024 * 1024

/** Runs a query over the views. */
export function selectRows(database: Database, sql: string): Selected {
  const { statement } = prepared(database, sql)
  statement.setReturnArrays?.(true)
  statement.setReadBigInts?.(true)
  const columns = statement.columns?.().map(({ name }) => name) ?? []
  const rows: SelectedValue[][] = []
  let characters = 0
  try {
    for (const row of statement.iterate() as Iterable<unknown> as Iterable<readonly SqlValue[]>) {
      const values = row.map(shown)
      for (const value of values) characters += typeof value === 'string' ? value.length : 0
      rows.push(values)
      if (rows.length > MOST_ROWS || characters > MOST_CHARACTERS) throw TOO_MUCH
    }
  } catch (error) {
    throw toldWords(error, sql)
  }
  return { columns, rows }
}

const TOO_MUCH = new Failure('BAD_INPUT', 'The query gives more rows than can be held.', {
  hint: 'Add `limit 1000`, or ask for fewer columns.',
})

/** A value as JSON has it: numbers that it cannot hold are texts, bytes are hexadecimal. */
function shown(value: SqlValue): SelectedValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}

/** A statement that only reads the views, and which of their columns it reads. */
function prepared(database: Database, sql: string) {
  if (!database.setAuthorizer) throw NO_AUTHORIZER
  const { judge, told } = readOnly()
  database.setAuthorizer(judge)
  try {
    const statement = database.prepare(sql)
    // SQLite asks nobody about some statements, such as `vacuum`.
    if (!told.isSelect) throw refusalOf('writing')
    return { statement, read: told.read }
  } catch (error) {
    throw toldError(error, sql, told.refused)
  } finally {
    // What a statement may do is settled now; the full-text index asks for tables of its own while it runs.
    database.setAuthorizer(null)
  }
}

/** Judges the parts of one statement, and tells what they are. */
function readOnly() {
  const views = new Set<string | null>(VIEWS.map(({ name }) => name))
  const told = { isSelect: false, refused: undefined as Refusal | undefined, read: new Map<string, Set<string>>() }
  const note = (view: string | null, column: string | null): void => {
    if (views.has(view)) told.read.set(view as string, (told.read.get(view as string) ?? new Set()).add(column ?? ''))
  }
  const refuse = (why: Refusal): number => {
    told.refused ??= why
    return REFUSED
  }
  const judge: Authorizer = (action, first, second, schema, view) => {
    told.isSelect ||= action === SELECT
    if (action === SELECT || action === RECURSIVE) return ALLOWED
    if (action === FUNCTION) return isFree(second, views.has(view)) ? ALLOWED : refuse('function')
    if (action !== READ) return refuse('writing')
    // Of a view that is only counted no column is read, but all that it is made of.
    note(view, null)
    note(first, second)
    const isView = schema === 'temp' && views.has(first)
    // A table of such a view may stand there as if the query had named it, and nothing is read of it.
    const isInView = views.has(view) || second === ''
    return isView || isInView || FREE_TABLES.has(first) ? ALLOWED : refuse({ table: first ?? '' })
  }
  return { judge, told }
}

/** Texts, quoted names and comments, also without an end: what is left of a query without them is its words. */
const QUOTED = /'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

function isEmpty(sql: string): boolean {
  return /^[\s;]*$/.test(sql.replace(QUOTED, (quoted) => (/^(?:--|\/\*)/.test(quoted) ? '' : quoted)))
}

function isSeveral(sql: string): boolean {
  return /;\s*[^\s;]/.test(sql.replace(QUOTED, (quoted) => (/^(?:--|\/\*)/.test(quoted) ? ' ' : 'x')))
}
