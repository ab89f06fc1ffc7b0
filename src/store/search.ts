import type { Database, Row, SqlValue } from '../index/driver.ts'

/** Which records are wanted, beside the words in them. Everything is optional. */
export interface SearchFilter {
  /** A test for the project of a log, by its folder name and the path its records name. */
  readonly inProject?: (project: { readonly key: string; readonly path: string | null }) => boolean
  readonly session?: string
  readonly agent?: string
  readonly sinceMs?: number
  readonly untilMs?: number
  readonly role?: string
  readonly kind?: string
  readonly tool?: string
  readonly model?: string
  readonly gitBranch?: string
  /** A part of the path that a tool call is about. */
  readonly file?: string
  readonly error?: boolean
}

/** A record that was found, by its place. */
export interface Found {
  readonly root: string
  readonly file: string
  readonly project: string
  readonly cwd: string | null
  readonly session: string
  readonly agent: string | null
  readonly isGone: boolean
  readonly line: number
  readonly offset: number
  readonly length: number
  readonly uuid: string | null
  readonly role: string
  readonly kind: string
  readonly timeMs: number | null
}

export interface SearchOptions {
  readonly sort: 'time' | 'relevance'
  readonly limit: number
}

/** Finds the records that match an FTS5 expression, copies of one message once. */
export function searchWords(
  database: Database,
  roots: readonly string[],
  match: string,
  filter: SearchFilter,
  options: SearchOptions,
): { readonly found: readonly Found[]; readonly total: number } {
  const { where, values } = conditions(database, roots, filter)
  const from = `from words join doc on doc.id = words.rowid join file on file.id = doc.file where words match ?${where}`
  const total = countOf(database, roots, match, filter) ?? countWith(database, from, [match, ...values])
  // Row numbers follow arrival, which is nearly time: more are fetched than asked for, and sorted.
  const order = options.sort === 'relevance' ? 'words.rank' : 'words.rowid desc'
  const rows = database.prepare(
    `select doc.*, file.root, file.path, file.project, file.cwd, file.session, file.agent, file.gone,
            (select text from name where id = doc.role) as roleName, (select text from name where id = doc.kind) as kindName
     ${from} order by ${order}`,
  )
  const enough = options.sort === 'time' ? 4 * options.limit + 200 : options.limit
  const found = firstOfEach(rows.iterate(match, ...values), enough)
  if (options.sort === 'time') found.sort((a, b) => (b.timeMs ?? 0) - (a.timeMs ?? 0))
  return { found: found.slice(0, options.limit), total }
}

/** How many there are where every record of the index may be found: then the logs need not be looked at. */
function countOf(
  database: Database,
  roots: readonly string[],
  match: string,
  filter: SearchFilter,
): number | undefined {
  const isAll = Object.values(filter).every((wish) => wish === undefined || wish === false)
  const known = isAll ? database.prepare('select distinct root from file').all() : []
  if (!isAll || !known.every(({ root }) => roots.includes(String(root)))) return undefined
  return countWith(database, 'from words join doc on doc.id = words.rowid where words match ?', [match])
}

function countWith(database: Database, from: string, values: readonly SqlValue[]): number {
  return Number(database.prepare(`select count(distinct doc.copy) as total ${from}`).get(...values)?.total)
}

function firstOfEach(rows: Iterable<Row>, limit: number): Found[] {
  const seen = new Set<SqlValue>()
  const found: Found[] = []
  for (const row of rows) {
    const { copy } = row
    if (copy === undefined || seen.has(copy)) continue
    seen.add(copy)
    found.push(toFound(row))
    if (found.length >= limit) break
  }
  return found
}

function toFound(row: Row): Found {
  const text = (key: string) => (typeof row[key] === 'string' ? (row[key] as string) : null)
  return {
    root: text('root') ?? '',
    file: text('path') ?? '',
    project: text('project') ?? '',
    cwd: text('cwd'),
    session: text('session') ?? '',
    agent: text('agent'),
    isGone: Number(row.gone) === 1,
    line: Number(row.line),
    offset: Number(row.offset),
    length: Number(row.length),
    uuid: text('uuid'),
    role: text('roleName') ?? '',
    kind: text('kindName') ?? '',
    timeMs: row.time === null ? null : Number(row.time),
  }
}

/** The conditions of a filter as SQL. Values are always parameters; column names are ours. */
function conditions(
  database: Database,
  roots: readonly string[],
  filter: SearchFilter,
): { readonly where: string; readonly values: SqlValue[] } {
  const parts = [`file.root in (${roots.map(() => '?').join(', ')})`]
  const values: SqlValue[] = [...roots]
  const add = (sql: string, value: SqlValue | undefined) => {
    if (value === undefined) return
    parts.push(sql)
    values.push(value)
  }
  const named = (column: string) => `doc.${column} = (select id from name where text = ?)`
  add("file.session like ? || '%'", filter.session)
  add("file.agent like ? || '%'", filter.agent)
  add('doc.time >= ?', filter.sinceMs)
  add('doc.time < ?', filter.untilMs)
  add(named('role'), filter.role)
  add(named('kind'), filter.kind)
  add(named('tool'), filter.tool)
  add('doc.model in (select id from name where instr(text, ?) > 0)', filter.model)
  add(named('branch'), filter.gitBranch)
  add('doc.target in (select id from name where instr(text, ?) > 0)', filter.file)
  if (filter.error) parts.push('doc.error = 1')
  if (filter.inProject) {
    const { inProject } = filter
    const files = database.prepare('select id, project, cwd from file').all()
    const wanted = files.filter((row) =>
      inProject({ key: String(row.project), path: row.cwd === null ? null : String(row.cwd) }),
    )
    parts.push(`doc.file in (${wanted.map((row) => Number(row.id)).join(',') || '-1'})`)
  }
  return { where: parts.map((part) => ` and ${part}`).join(''), values }
}
