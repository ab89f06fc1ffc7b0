import type { TeamDocument, TeamRow } from '../../src/collector/row.ts'
import { type Batch, type Delivery, type Mark, type Sink, SinkTrouble } from '../../src/collector/sink.ts'
import { tombstoneOf } from '../../src/collector/tombstone.ts'

/** What a sink in memory can be told to do wrong. */
export type Fault = 'refuse' | 'lose-answer'

/** A sink that holds everything in memory, does wrong what it is told to, and complains of what no sink could tell apart. */
export class MemorySink implements Sink {
  readonly rows = new Map<string, TeamRow>()
  readonly documents = new Map<string, TeamDocument>()
  readonly kept = new Map<string, Mark>()
  readonly tombstones = new Set<string>()
  /** Faults of the next deliveries, in order. */
  readonly faults: (Fault | undefined)[] = []
  readonly batches: Batch[] = []
  /** Rows that it will not take. */
  isPoison: (row: TeamRow) => boolean = () => false
  /** Told before a delivery is taken. */
  onDeliver: (batch: Batch) => void | Promise<void> = () => {}

  async open(): Promise<void> {}

  async marks(machine: string): Promise<readonly Mark[]> {
    return [...this.kept.values()].filter((mark) => mark.machine === machine)
  }

  async deliver(batch: Batch): Promise<Delivery> {
    await this.onDeliver(batch)
    const fault = this.faults.shift()
    if (fault === 'refuse') throw new SinkTrouble('Not now.', { passes: true })
    this.batches.push(batch)
    for (const one of batch.tombstones) this.tombstones.add(one)
    for (const [key, row] of this.rows) if (this.#isPurged(row.session)) this.rows.delete(key)
    const deadLetters = batch.rows.filter(this.isPoison).map(({ machine, file, generation, offset }) => {
      return { machine, file, generation, offset, reason: 'It is poison.' }
    })
    let added = 0
    const refused = new Set<string>()
    for (const row of batch.rows.filter((one) => !this.isPoison(one))) {
      if (this.#isPurged(row.session)) {
        refused.add(tombstoneOf(row.session as string))
        continue
      }
      const key = `${row.machine} ${row.file} ${row.generation} ${row.offset}`
      const known = this.rows.get(key)
      if (known && !Buffer.from(known.content).equals(row.content)) throw new Error(`Two records have the key ${key}.`)
      if (!known) added += 1
      this.rows.set(key, row)
    }
    for (const one of batch.documents) this.documents.set(one.file, one)
    for (const mark of batch.marks) this.kept.set(`${mark.machine} ${mark.file} ${mark.generation}`, mark)
    if (fault === 'lose-answer') throw new SinkTrouble('The connection was lost.', { passes: true })
    return { added, deadLetters, refused: [...refused] }
  }

  async close(): Promise<void> {}

  #isPurged(session: string | null): boolean {
    return session !== null && this.tombstones.has(tombstoneOf(session))
  }
}
