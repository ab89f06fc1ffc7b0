import type { Database, SqlValue, Statement } from '../index/driver.ts'
import { Names } from '../index/names.ts'
import type { Batch, Doc } from './batch.ts'

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

  add(file: number, { docs, texts, ends }: Batch): void {
    const textAt = (i: number) => texts.subarray(i === 0 ? 0 : ends[i - 1], ends[i])
    docs.forEach((doc, i) => {
      this.#insertWords.run(this.#insert(file, doc), textAt(2 * i), textAt(2 * i + 1))
    })
  }

  #insert(file: number, doc: Doc): number | bigint {
    const names = this.#names
    const [tool, target] = this.#callOf(doc)
    return this.#insertDoc.run(
      file,
      doc.line,
      doc.offset,
      doc.length,
      doc.time,
      names.id(doc.role),
      names.id(doc.kind),
      tool,
      names.id(doc.model),
      names.id(doc.branch),
      target,
      doc.isError ? 1 : 0,
      doc.copy,
      doc.uuid,
    ).lastInsertRowid
  }

  /** The tool of a call and what it is about. Its answer comes in a later record, perhaps in a later run, and finds them here. */
  #callOf({ tool, target, call: id }: Doc): readonly [number | null, number | null] {
    if (tool === null) {
      const call = id === null ? undefined : this.#findCall.get(id)
      return [toNumber(call?.tool), toNumber(call?.target)]
    }
    const known = [this.#names.id(tool), this.#names.id(target)] as const
    if (id !== null) this.#insertCall.run(id, ...known)
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
