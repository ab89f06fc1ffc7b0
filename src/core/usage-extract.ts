import type { LogEvidence } from './evidence.ts'
import { NumberRows } from './number-rows.ts'
import type { PoolPieces } from './text-pool.ts'
import { AMOUNTS, NODE, NUMBERS, TEXTS, type UsageTable, WEIGHT } from './usage-table.ts'

/** A row, and for how many it stands. */
export interface Weighed {
  readonly row: number
  readonly weight: number
}

/** A table as arrays, one behind the other. */
export interface UsagePieces {
  readonly pool: PoolPieces
  readonly numbers: Iterable<Int32Array>
  readonly amounts: Iterable<Float64Array>
  readonly log: LogEvidence
}

/**
 * Some rows of a table as the pieces of a table of their own, each standing for so many rows. That table is never there as a
 * whole: beside a huge log there is no room for it. The rows are asked for several times.
 */
export function extractRows(table: UsageTable, rows: () => Iterable<Weighed>): UsagePieces {
  const texts = new Int32Array(table.pool.size).fill(-1)
  const used = new NumberRows(1, Int32Array)
  for (const { row } of rows()) {
    for (const column of TEXTS) {
      const id = table.numberAt(row, column)
      if (id === -1 || texts[id] !== -1) continue
      texts[id] = used.add()
      used.set(used.length - 1, 0, id)
    }
  }
  return {
    pool: table.pool.pick(used.cells()),
    numbers: numbersOf(table, rows(), texts),
    amounts: amountsOf(table, rows()),
    log: table.log,
  }
}

function numbersOf(table: UsageTable, rows: Iterable<Weighed>, texts: Int32Array): Iterable<Int32Array> {
  return inChunks(rows, NUMBERS, Int32Array, ({ row, weight }, into, at) => {
    for (let column = 0; column < NUMBERS; column++) into[at + column] = table.numberAt(row, column)
    for (const column of TEXTS) {
      const id = into[at + column] as number
      if (id !== -1) into[at + column] = texts[id] as number
    }
    into[at + NODE] = -1
    into[at + WEIGHT] = weight
  })
}

function amountsOf(table: UsageTable, rows: Iterable<Weighed>): Iterable<Float64Array> {
  return inChunks(rows, AMOUNTS, Float64Array, ({ row }, into, at) => {
    for (let column = 0; column < AMOUNTS; column++) into[at + column] = table.amountAt(row, column)
  })
}

/** So many rows are copied at a time. */
const CHUNK = 256

function* inChunks<A extends Int32Array | Float64Array>(
  rows: Iterable<Weighed>,
  width: number,
  Numbers: new (length: number) => A,
  copy: (row: Weighed, into: A, at: number) => void,
): Iterable<A> {
  let chunk = new Numbers(CHUNK * width)
  let at = 0
  for (const row of rows) {
    copy(row, chunk, at)
    at += width
    if (at < chunk.length) continue
    yield chunk
    chunk = new Numbers(CHUNK * width)
    at = 0
  }
  yield chunk.subarray(0, at) as A
}
