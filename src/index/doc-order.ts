import { copyKeyIn } from './copy-key.ts'
import { type Database, prepared, type Row, type Statement } from './driver.ts'
import { DOCS_OF_A_LOG } from './schema.ts'
import { docAt, docCount, type TextBatch } from './text-batch.ts'

/**
 * Notes of each log whether its docs are orderly: each has a time, none before that of the doc above it, and no two are copies. In
 * most logs they are, and then ids alone tell how many messages match and which is the newest.
 */
export class DocOrder {
  readonly #isOrderly: Statement
  readonly #timeOf: Statement
  readonly #findCopies: Statement
  readonly #setDisorderly: Statement

  constructor(database: Database) {
    this.#isOrderly = prepared(database, 'select orderly from log where id = ?')
    this.#timeOf = prepared(database, 'select time from doc where id = ?')
    this.#findCopies = prepared(
      database,
      `select 1 from doc where ${OF_A_LOG} and copy in (select value from json_each(?))`,
    )
    this.#setDisorderly = prepared(database, 'update log set orderly = 0 where id = ?')
  }

  /** Takes the docs that will follow the last one that a log has. */
  note(log: number, last: number | null, batch: TextBatch): void {
    if (docCount(batch) === 0 || this.#isOrderly.get(log)?.orderly === 0) return
    const copies = new Set<number>()
    let before = last === null ? Number.NEGATIVE_INFINITY : (this.#timeOf.get(last)?.time as number)
    for (let i = 0; i < docCount(batch); i++) {
      const { time, copy } = docAt(batch, i)
      if (time === null || time < before) break
      before = time
      copies.add(copyKeyIn(log, copy))
    }
    const isOrderly = copies.size === docCount(batch) && (last === null || !this.#hasCopies(log, copies))
    if (!isOrderly) this.#setDisorderly.run(log)
  }

  #hasCopies(log: number, copies: ReadonlySet<number>): boolean {
    return this.#findCopies.get(...docsOf(log), JSON.stringify([...copies])) !== undefined
  }
}

/** Decides anew, where docs were removed: what was disorderly may be orderly without them. */
export function judgeOrder(database: Database, log: number): void {
  if (prepared(database, 'select orderly from log where id = ?').get(log)?.orderly === 1) return
  const judged = prepared(database, JUDGED).get(...docsOf(log)) as Row
  prepared(database, 'update log set orderly = ? where id = ?').run(judged.orderly as number, log)
}

const OF_A_LOG = 'id >= ? and id < ?'

const JUDGED = `
select count(*) = count(distinct copy) and count(*) = count(time) and coalesce(max(time < before), 0) = 0 as orderly
from (select time, copy, lag(time) over (order by id) as before from doc where ${OF_A_LOG})`

function docsOf(log: number): readonly [number, number] {
  return [log * DOCS_OF_A_LOG, (log + 1) * DOCS_OF_A_LOG]
}
