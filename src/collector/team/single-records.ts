import type { StoreReader } from './store-reader.ts'

/** So many records are kept of those that were asked for before they are read. */
const MOST_AHEAD = 1_000
const NO_OFFSETS = new Float64Array(0)

/** A record of a log: the log's number and path, and where the record begins in it as the store has it. */
export interface SoughtRecord {
  readonly log: { readonly id: number; readonly path: string }
  readonly offset: number
}

/** Where the records of logs begin, and records that are asked for at once before they are read one by one. */
export class SingleRecords {
  readonly #reader: StoreReader
  readonly #offsets = new Map<number, Float64Array>()
  readonly #ahead = new Map<string, Uint8Array>()

  constructor(reader: StoreReader) {
    this.#reader = reader
  }

  clear(): void {
    this.#offsets.clear()
    this.#ahead.clear()
  }

  /** Where each record of a log begins: in it, and in the file that it came from. */
  offsetsOf(log: number): Float64Array {
    this.#fetchOffsets([log])
    return this.#offsets.get(log) ?? NO_OFFSETS
  }

  readAhead(records: readonly SoughtRecord[]): void {
    const wanted = records.filter(({ log, offset }) => !this.at(log.path, offset))
    if (wanted.length === 0) return
    if (this.#ahead.size > MOST_AHEAD) this.#ahead.clear()
    this.#fetchOffsets(wanted.map(({ log }) => log.id))
    const asked = new Map(
      wanted.map(({ log: { id, path }, offset }) => {
        const offsets = this.offsetsOf(id)
        const from = offsets[2 * recordAt(offsets, offset) + 1] ?? -1
        return [`${id} ${from}`, { place: { log: id, offset: from }, key: keyOf(path, offset) }]
      }),
    )
    for (const { log, offset, content } of this.#reader.recordsAt([...asked.values()].map(({ place }) => place)))
      this.#ahead.set(asked.get(`${log} ${offset}`)?.key ?? '', content)
  }

  /** A record that was asked for ahead. */
  at(path: string, offset: number): Uint8Array | undefined {
    return this.#ahead.get(keyOf(path, offset))
  }

  #fetchOffsets(logs: readonly number[]): void {
    const unknown = [...new Set(logs)].filter((id) => !this.#offsets.has(id))
    if (unknown.length === 0) return
    for (const log of unknown) this.#offsets.set(log, NO_OFFSETS)
    for (const { log, offsets } of this.#reader.offsets(unknown)) this.#offsets.set(log, offsets)
  }
}

function keyOf(path: string, offset: number): string {
  return `${offset} ${path}`
}

/** The number of the record that stands at a place. */
export function recordAt(offsets: Float64Array, offset: number): number {
  let [low, high] = [0, offsets.length / 2 - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((offsets[2 * middle] as number) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
