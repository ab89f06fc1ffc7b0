import { textKey } from '../core/facts/row-key.ts'
import { ACTIVE, type RowTable } from '../core/facts/row-table.ts'
import { type Database, prepared } from './driver.ts'
import { allRowTables } from './row-tables.ts'

/**
 * Keeps which rows are named from other logs: the leaf of a title, the parent of a log's first row. They are few, so the rows of logs
 * need no index: a log is looked through for them when it is read, and all logs when another row gets named.
 */
export class LinkWriter {
  readonly #database: Database
  #named: Set<number> | undefined
  #newlyNamed = new Set<number>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Takes the rows that a log names, and those that it has. */
  add(log: number, names: Iterable<number>, rows: RowTable): void {
    this.#named ??= keysIn(this.#database)
    for (const key of names) {
      if (this.#named.has(key)) continue
      this.#named.add(key)
      this.#newlyNamed.add(key)
    }
    if (this.#named.size > this.#newlyNamed.size) this.#link(log, rows, this.#named)
  }

  /** Looks for what was named since; forgets what nothing names any more. */
  settle(): void {
    if (this.#newlyNamed.size > 0) {
      for (const { log, rows } of allRowTables(this.#database)) this.#link(log, rows, this.#newlyNamed)
    }
    this.#database.exec(UNNAMED)
    this.forget()
  }

  /** Others may write between two transactions. */
  forget(): void {
    this.#named = undefined
    this.#newlyNamed = new Set()
  }

  #link(log: number, { keys, flags }: RowTable, named: ReadonlySet<number>): void {
    for (let row = 0; row < keys.length; row++) {
      if (!named.has(keys[row] as number)) continue
      const isActive = ((flags[row] as number) & ACTIVE) !== 0
      prepared(this.#database, LINK).run(keys[row] as number, log, Number(isActive))
    }
  }
}

function keysIn(database: Database): Set<number> {
  const rows = prepared(database, NAMED).all()
  return new Set(rows.map(({ key }) => key as number))
}

const NAMED = 'select leaf as key from summary union select parent_key from fact where parent_key is not null'

const LINK = 'insert or ignore into link (key, log, active) values (?, ?, ?)'

const UNNAMED = `
delete from link where not exists (select 1 from summary where leaf = link.key)
and not exists (select 1 from fact where parent_key = link.key)`

/** The session that holds a row which other logs name, by the row's uuid; of copies the one that was written first. */
export function sessionOfRow(
  database: Database,
  uuid: string,
): { readonly root: string; readonly project: string; readonly session: string } | undefined {
  const row = prepared(database, HOLDER).get(textKey(uuid))
  return row && { root: row.root as string, project: row.project as string, session: row.session as string }
}

const HOLDER = `
select root, project, session from link join log on log.id = link.log where key = ? and agent is null
order by state = 'lost', modified limit 1`
