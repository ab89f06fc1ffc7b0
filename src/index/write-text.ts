import { copyKeyIn } from './copy-key.ts'
import type { Database, Statement } from './driver.ts'
import { Names } from './names.ts'
import { DOCS_OF_A_LOG } from './schema.ts'
import {
  docAt,
  docCount,
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
  readonly #answerCall: Statement

  constructor(database: Database) {
    this.#names = new Names(database)
    this.#lastDoc = database.prepare('select max(id) as id from doc where id >= ? and id < ?')
    this.#insertDoc = database.prepare('insert into doc values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.#insertWords = database.prepare('insert into words (rowid, text, parts) values (?, ?, ?)')
    this.#insertCall = database.prepare(
      'insert or ignore into call (log, tool_use, tool, target, line, offset, length, time) values (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.#answerCall = database.prepare(
      'update call set ended = ?, is_error = ?, result_bytes = ? where log = ? and tool_use = ? returning tool, target',
    )
  }

  /** Adds what follows the docs that a log has. */
  add(log: number, batch: TextBatch): void {
    const first = log * DOCS_OF_A_LOG
    const last = this.#lastDoc.get(first, first + DOCS_OF_A_LOG)?.id as number | null
    const from = last === null ? first : last + 1
    let call = 0
    for (let i = 0; i < docCount(batch); i++) {
      const own: (PlacedCall | PlacedAnswer)[] = []
      while (batch.calls[call]?.doc === i) own.push(batch.calls[call++] as PlacedCall | PlacedAnswer)
      this.#addDoc(log, from + i, batch, i, own)
      this.#insertWords.run(from + i, textOfDoc(batch, i), partsOfDoc(batch, i))
    }
  }

  #addDoc(log: number, id: number, batch: TextBatch, i: number, calls: readonly (PlacedCall | PlacedAnswer)[]): void {
    const names = this.#names
    const { line, offset, length, time, ...doc } = docAt(batch, i)
    let tool = names.id(doc.tool)
    let target = names.id(doc.target)
    for (const one of calls) {
      if (one.kind === 'call') {
        const about = [names.id(one.tool), names.id(one.target)]
        this.#insertCall.run(log, one.id, ...about, line, offset, length, time)
      } else {
        const made = this.#answerCall.get(time, Number(one.isError), one.bytes, log, one.id)
        tool ??= (made?.tool as number | null | undefined) ?? null
        target ??= (made?.target as number | null | undefined) ?? null
      }
    }
    const [role, kind] = [names.id(doc.role), names.id(doc.kind)]
    const [model, branch] = [names.id(doc.model), names.id(doc.branch)]
    const copy = copyKeyIn(log, doc.copy)
    this.#insertDoc.run(
      id,
      line,
      offset,
      length,
      time,
      role,
      kind,
      tool,
      model,
      branch,
      target,
      Number(doc.isError),
      copy,
    )
  }

  /** What was named in a transaction that did not happen is no longer known. */
  rollBack(): void {
    this.#names.forget()
  }
}

/** Forgets the text of a log. */
export function clearText(database: Database, log: number): void {
  const [from, to] = [log * DOCS_OF_A_LOG, (log + 1) * DOCS_OF_A_LOG]
  database.prepare('delete from words where rowid in (select id from doc where id >= ? and id < ?)').run(from, to)
  database.prepare('delete from doc where id >= ? and id < ?').run(from, to)
  database.prepare('delete from call where log = ?').run(log)
}
