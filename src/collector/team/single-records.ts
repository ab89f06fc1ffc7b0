import type { StoreReader } from './store-reader.ts'

const NO_OFFSETS = new Float64Array(0)

/** A record of a log: the log's id and path, and where the record begins in it as the store has it. */
export interface SoughtRecord {
  readonly log: { readonly id: number; readonly path: string }
  readonly offset: number
}

/** Single records that were fetched, and where the records of logs begin. */
export class SingleRecords {
  readonly #reader: StoreReader
  readonly #offsets = new Map<number, Float64Array>()
  /** `undefined` for a record that the store no longer has. */
  readonly #records = new Map<string, Uint8Array | undefined>()

  constructor(reader: StoreReader) {
    this.#reader = reader
  }

  clear(): void {
    this.#offsets.clear()
    this.#records.clear()
  }

  /** Where each record of a log begins: in it, and in the file that it came from. */
  async offsetsOf(log: number): Promise<Float64Array> {
    await this.#fetchOffsets([log])
    return this.#offsets.get(log) ?? NO_OFFSETS
  }

  async fetch(records: readonly SoughtRecord[]): Promise<void> {
    const wanted = records.filter(({ log, offset }) => !this.has(log.path, offset))
    if (wanted.length === 0) return
    await this.#fetchOffsets(wanted.map(({ log }) => log.id))
    const asked = new Map(
      wanted.map(({ log: { id, path }, offset }) => {
        const offsets = this.#offsets.get(id) ?? NO_OFFSETS
        const from = offsets[2 * recordAt(offsets, offset) + 1] ?? -1
        return [`${id} ${from}`, { place: { log: id, offset: from }, key: keyOf(path, offset) }]
      }),
    )
    const found = await this.#reader.recordsAt([...asked.values()].map(({ place }) => place))
    for (const { key } of asked.values()) this.#records.set(key, undefined)
    for (const { log, offset, content } of found) this.#records.set(asked.get(`${log} ${offset}`)?.key ?? '', content)
  }

  has(path: string, offset: number): boolean {
    return this.#records.has(keyOf(path, offset))
  }

  at(path: string, offset: number): Uint8Array | undefined {
    return this.#records.get(keyOf(path, offset))
  }

  async #fetchOffsets(logs: readonly number[]): Promise<void> {
    const unknown = [...new Set(logs)].filter((id) => !this.#offsets.has(id))
    if (unknown.length === 0) return
    const found = await this.#reader.offsets(unknown)
    for (const log of unknown) this.#offsets.set(log, NO_OFFSETS)
    for (const { log, offsets } of found) this.#offsets.set(log, offsets)
  }
}

function keyOf(path: string, offset: number): string {
  return `${offset} ${path}`
}

/** The number of the record at a place. */
function recordAt(offsets: Float64Array, offset: number): number {
  let [low, high] = [0, offsets.length / 2 - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((offsets[2 * middle] as number) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
