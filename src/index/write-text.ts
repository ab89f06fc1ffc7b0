import { copyKeyIn } from './copy-key.ts'
import { DocOrder, judgeOrder } from './doc-order.ts'
import { type Database, prepared, type Statement } from './driver.ts'
import { Inserts } from './inserts.ts'
import { Names } from './names.ts'
import { DOCS_OF_A_LOG } from './schema.ts'
import { type Doc, docAt, docCount, type KindPlace, partsOfDoc, type TextBatch, textOfDoc } from './text-batch.ts'
import { type CallNames, CallWriter } from './write-calls.ts'

/** Writes the text of logs. Every call belongs into the transaction that its caller has begun. */
export class TextWriter {
  readonly #names: Names
  readonly #calls: CallWriter
  readonly #lastDoc: Statement
  readonly #docs: Inserts
  readonly #words: Statement
  readonly #places: Inserts
  readonly #order: DocOrder

  constructor(database: Database) {
    this.#names = new Names(database)
    this.#calls = new CallWriter(database, this.#names)
    this.#order = new DocOrder(database)
    this.#lastDoc = prepared(database, 'select max(id) as id from doc where id >= ? and id < ?')
    this.#docs = new Inserts(database, 'into doc', DOC_COLUMNS)
    // One by one: SQLite would put many into a table of its own first.
    this.#words = prepared(database, 'insert into words (rowid, text, parts) values (?, ?, ?)')
    this.#places = new Inserts(database, 'or ignore into place', PLACE_COLUMNS)
  }

  /** Adds what follows the docs that a log has. */
  add(log: number, batch: TextBatch): void {
    const answered = this.#calls.add(log, batch.calls)
    for (const one of batch.places) this.#addPlace(log, one)
    const first = log * DOCS_OF_A_LOG
    const last = this.#lastDoc.get(first, first + DOCS_OF_A_LOG)?.id as number | null
    const from = last === null ? first : last + 1
    this.#order.note(log, last, batch)
    for (let i = 0; i < docCount(batch); i++) {
      this.#addDoc(log, from + i, docAt(batch, i), answered.get(i))
      this.#words.run(from + i, textOfDoc(batch, i), partsOfDoc(batch, i))
    }
    this.#places.flush()
    this.#docs.flush()
  }

  #addPlace(log: number, { kind, offset, line, length, row }: KindPlace): void {
    const flags = row ? [row.isSidechain, row.isFork, row.isCustom].map(Number) : NO_FLAGS
    const [time, key, parent] = [row?.time ?? null, row?.key ?? null, row?.parent ?? null]
    this.#places.add(log, kind, offset, line, length, time, key, parent, ...flags)
  }

  /** An answer is about the same tool and file as its call. */
  #addDoc(log: number, id: number, doc: Doc, call: CallNames | undefined): void {
    const names = this.#names
    const { line, offset, length, time } = doc
    const tool = names.id(doc.tool) ?? call?.tool ?? null
    const target = names.id(doc.target) ?? call?.target ?? null
    const [role, kind] = [names.id(doc.role), names.id(doc.kind)]
    const [model, branch] = [names.id(doc.model), names.id(doc.branch)]
    const [error, copy] = [Number(doc.isError), copyKeyIn(log, doc.copy)]
    this.#docs.add(id, line, offset, length, time, role, kind, tool, model, branch, target, error, copy)
  }

  /** What was named in a transaction that did not happen is no longer known. */
  rollBack(): void {
    this.#names.forget()
    for (const rows of [this.#calls, this.#places, this.#docs]) rows.forget()
  }
}

const DOC_COLUMNS = [
  ...['id', 'line', 'offset', 'length', 'time', 'role', 'kind'],
  ...['tool', 'model', 'branch', 'target', 'error', 'copy'],
]

const PLACE_COLUMNS = [
  ...['log', 'kind', 'offset', 'line', 'length'],
  ...['time', 'key', 'parent', 'sidechain', 'fork', 'custom'],
]

const NO_FLAGS = [null, null, null]

/** Forgets the text of a log from an offset on. */
export function clearText(database: Database, log: number, from: number): void {
  const docs = [log * DOCS_OF_A_LOG, (log + 1) * DOCS_OF_A_LOG, from]
  prepared(database, `delete from words where rowid in (select id from doc where ${IN_DOCS})`).run(...docs)
  prepared(database, `delete from doc where ${IN_DOCS}`).run(...docs)
  prepared(database, 'delete from place where log = ? and offset >= ?').run(log, from)
  prepared(database, 'delete from call where log = ? and coalesce(offset, answer_offset) >= ?').run(log, from)
  if (from > 0) prepared(database, FORGET_ANSWERS).run(log, from)
  judgeOrder(database, log)
}

const IN_DOCS = 'id >= ? and id < ? and offset >= ?'

const FORGET_ANSWERS = `
update call set answer_line = null, answer_offset = null, answer_length = null, ended = null, took = null, is_error = null,
  result_bytes = null, added = null, removed = null
where log = ? and answer_offset >= ?`
