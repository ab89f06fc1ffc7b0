import { objectAt, stringAt, textAt } from '../core/json.ts'
import type { LogRecord } from '../core/record.ts'
import { searchableText } from '../core/searchable.ts'
import { partsOf } from '../core/words.ts'
import { copyKey } from './copy-key.ts'
import type { Database, SqlValue, Statement } from './driver.ts'
import { Names } from './names.ts'

/** Writes what can be found of records: their place, what filters ask for, and their words. */
export class DocWriter {
  readonly #database: Database
  readonly #names: Names
  readonly #insertDoc: Statement
  readonly #insertWords: Statement
  readonly #insertCall: Statement
  readonly #findCall: Statement

  constructor(database: Database) {
    this.#database = database
    this.#names = new Names(database)
    this.#insertDoc = database.prepare(
      `insert into doc (file, line, offset, length, time, role, kind, tool, model, branch, target, error, copy, uuid)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#insertCall = database.prepare('insert or ignore into call (id, tool, target) values (?, ?, ?)')
    this.#findCall = database.prepare('select tool, target from call where id = ?')
    this.#insertWords = database.prepare('insert into words (rowid, text, parts) values (?, ?, ?)')
  }

  add(file: number, record: LogRecord): void {
    const found = searchableText(record)
    if (!found || found.text === '') return
    const { raw, place } = record
    const names = this.#names
    const time = Date.parse(stringAt(raw, 'timestamp') ?? '')
    const [tool, target] = this.#callOf(found.tools[0], found.files[0], found.toolUseIds)
    const result = this.#insertDoc.run(
      file,
      place.line,
      place.offset,
      place.length,
      Number.isNaN(time) ? null : time,
      names.id(found.role),
      names.id(found.kind),
      tool,
      names.id(textAt(objectAt(raw, 'message'), 'model')),
      names.id(textAt(raw, 'gitBranch')),
      target,
      found.isError ? 1 : 0,
      copyKey(record, found.text),
      textAt(raw, 'uuid') ?? null,
    )
    this.#insertWords.run(result.lastInsertRowid, found.text, partsOf(found.text))
  }

  /** The tool of a call and what it is about. Its answer comes in a later record, perhaps in a later run, and finds them here. */
  #callOf(
    tool: string | undefined,
    target: string | undefined,
    ids: readonly string[],
  ): readonly [number | null, number | null] {
    const [id] = ids
    if (tool === undefined) {
      const call = id === undefined ? undefined : this.#findCall.get(id)
      return [toNumber(call?.tool), toNumber(call?.target)]
    }
    const known = [this.#names.id(tool), this.#names.id(target)] as const
    if (id !== undefined) this.#insertCall.run(id, ...known)
    return known
  }

  /** Forgets everything of a file, as when a new generation of it begins. */
  remove(file: number): void {
    this.#database.prepare('delete from words where rowid in (select id from doc where file = ?)').run(file)
    this.#database.prepare('delete from doc where file = ?').run(file)
  }

  /** What was named in a transaction that did not happen is no longer known. */
  rollBack(): void {
    this.#names.forget()
  }
}

function toNumber(value: SqlValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}
