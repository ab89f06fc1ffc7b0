import { copyKeyIn } from './copy-key.ts'
import { DocOrder, judgeOrder } from './doc-order.ts'
import type { Database, Row, Statement } from './driver.ts'
import { Names } from './names.ts'
import { DOCS_OF_A_LOG } from './schema.ts'
import {
  type Doc,
  docAt,
  docCount,
  type KindPlace,
  type PlacedAnswer,
  type PlacedCall,
  partsOfDoc,
  type TextBatch,
  textOfDoc,
} from './text-batch.ts'

/** Writes the text of logs. Every call belongs into the transaction that its caller has begun. */
export class TextWriter {
  readonly #names: Names
  readonly #lastDoc: Statement
  readonly #insertDoc: Statement
  readonly #insertWords: Statement
  readonly #insertCall: Statement
  readonly #insertAnswer: Statement
  readonly #findCall: Statement
  readonly #insertPlace: Statement
  readonly #order: DocOrder

  constructor(database: Database) {
    this.#names = new Names(database)
    this.#order = new DocOrder(database)
    this.#lastDoc = database.prepare('select max(id) as id from doc where id >= ? and id < ?')
    this.#insertDoc = database.prepare('insert into doc values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.#insertWords = database.prepare('insert into words (rowid, text, parts) values (?, ?, ?)')
    this.#insertCall = database.prepare(INSERT_CALL)
    this.#insertAnswer = database.prepare(INSERT_ANSWER)
    this.#findCall = database.prepare('select tool, target from call where log = ? and tool_use = ?')
    this.#insertPlace = database.prepare('insert or ignore into place values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  }

  /** Adds what follows the docs that a log has. */
  add(log: number, batch: TextBatch): void {
    const answered = this.#addCalls(log, batch.calls)
    for (const one of batch.places) this.#addPlace(log, one)
    const first = log * DOCS_OF_A_LOG
    const last = this.#lastDoc.get(first, first + DOCS_OF_A_LOG)?.id as number | null
    const from = last === null ? first : last + 1
    this.#order.note(log, last, batch)
    for (let i = 0; i < docCount(batch); i++) {
      this.#addDoc(log, from + i, docAt(batch, i), answered.get(i))
      this.#insertWords.run(from + i, textOfDoc(batch, i), partsOfDoc(batch, i))
    }
  }

  #addPlace(log: number, { kind, offset, line, length, row }: KindPlace): void {
    const flags = row ? [row.isSidechain, row.isFork, row.isCustom].map(Number) : NO_FLAGS
    this.#insertPlace.run(
      ...[log, kind, offset, line, length],
      ...[row?.time ?? null, row?.key ?? null, row?.parent ?? null],
      ...flags,
    )
  }

  /** Gives the call that each doc answers first. */
  #addCalls(log: number, calls: readonly (PlacedCall | PlacedAnswer)[]): ReadonlyMap<number, Row> {
    const answered = new Map<number, Row>()
    for (const one of calls) {
      const { id, line, offset, length, time, doc } = one
      if (one.what === 'call') {
        const [tool, target] = [this.#names.id(one.tool), this.#names.id(one.path)]
        this.#insertCall.run(log, id, tool, Number(one.isByApi), target, line, offset, length, time)
        continue
      }
      const { tookMs, isError, resultBytes, added, removed } = one
      this.#insertAnswer.run(log, id, line, offset, length, time, tookMs, Number(isError), resultBytes, added, removed)
      const call = doc === -1 || answered.has(doc) ? undefined : this.#findCall.get(log, id)
      if (call) answered.set(doc, call)
    }
    return answered
  }

  /** An answer is about the same tool and file as its call. */
  #addDoc(log: number, id: number, doc: Doc, call: Row | undefined): void {
    const names = this.#names
    const { line, offset, length, time } = doc
    const tool = names.id(doc.tool) ?? call?.tool ?? null
    const target = names.id(doc.target) ?? call?.target ?? null
    const [role, kind] = [names.id(doc.role), names.id(doc.kind)]
    const [model, branch] = [names.id(doc.model), names.id(doc.branch)]
    const [error, copy] = [Number(doc.isError), copyKeyIn(log, doc.copy)]
    this.#insertDoc.run(id, line, offset, length, time, role, kind, tool, model, branch, target, error, copy)
  }

  /** What was named in a transaction that did not happen is no longer known. */
  rollBack(): void {
    this.#names.forget()
  }
}

const NO_FLAGS = [null, null, null]

/** A call counts once. What answers it comes behind it: an answer that was there before is none of its own. */
const INSERT_CALL = `
insert into call (log, tool_use, tool, by_api, target, line, offset, length, time) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do update set tool = excluded.tool, by_api = excluded.by_api, target = excluded.target, line = excluded.line,
  offset = excluded.offset, length = excluded.length, time = excluded.time, answer_line = null, answer_offset = null,
  answer_length = null, ended = null, took = null, is_error = null, result_bytes = null, added = null, removed = null
where offset is null`

/** The first answer counts. */
const INSERT_ANSWER = `
insert into call (log, tool_use, answer_line, answer_offset, answer_length, ended, took, is_error, result_bytes, added, removed)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do update set answer_line = excluded.answer_line, answer_offset = excluded.answer_offset,
  answer_length = excluded.answer_length, ended = excluded.ended, took = excluded.took, is_error = excluded.is_error,
  result_bytes = excluded.result_bytes, added = excluded.added, removed = excluded.removed
where answer_offset is null`

/** Forgets the text of a log from an offset on. */
export function clearText(database: Database, log: number, from: number): void {
  const docs = [log * DOCS_OF_A_LOG, (log + 1) * DOCS_OF_A_LOG, from]
  database.prepare(`delete from words where rowid in (select id from doc where ${IN_DOCS})`).run(...docs)
  database.prepare(`delete from doc where ${IN_DOCS}`).run(...docs)
  database.prepare('delete from place where log = ? and offset >= ?').run(log, from)
  database.prepare('delete from call where log = ? and coalesce(offset, answer_offset) >= ?').run(log, from)
  if (from > 0) database.prepare(FORGET_ANSWERS).run(log, from)
  judgeOrder(database, log)
}

const IN_DOCS = 'id >= ? and id < ? and offset >= ?'

const FORGET_ANSWERS = `
update call set answer_line = null, answer_offset = null, answer_length = null, ended = null, took = null, is_error = null,
  result_bytes = null, added = null, removed = null
where log = ? and answer_offset >= ?`
