import { createHash } from 'node:crypto'
import type { TeamDocument, TeamRow } from './row.ts'
import type { Batch, Machine, Mark } from './sink.ts'
import type { Tracked } from './state.ts'
import type { Tracking } from './tracking.ts'

/** Gathers rows until there are enough for one delivery. Holds no more than that. */
export class Batching {
  readonly #machine: Machine
  readonly #tracking: Pick<Tracking, 'markOf'>
  readonly #files = new Map<string, { readonly from: number; readonly to: Tracked; readonly root: string }>()
  #rows: TeamRow[] = []
  #documents: TeamDocument[] = []
  #marks: Mark[] = []
  #bytes = 0

  constructor(machine: Machine, tracking: Pick<Tracking, 'markOf'>) {
    this.#machine = machine
    this.#tracking = tracking
  }

  get bytes(): number {
    return this.#bytes
  }

  get count(): number {
    return this.#rows.length + this.#documents.length + this.#marks.length
  }

  get isEmpty(): boolean {
    return this.#files.size + this.#documents.length + this.#marks.length === 0
  }

  /** Adds lines of a log that follow those that were added before; `from` is how many lines there were before them. */
  addRows(rows: readonly TeamRow[], from: number, to: Tracked, root: string): void {
    for (const row of rows) {
      this.#rows.push(row)
      this.#bytes += row.content.length
    }
    const key = `${to.generation}\0${to.file}`
    this.#files.set(key, { from: this.#files.get(key)?.from ?? from, to, root })
  }

  addDocument(document: TeamDocument): void {
    this.#documents.push(document)
    this.#bytes += document.content.length
  }

  /** Adds a mark that stands for no new rows. */
  addMark(mark: Mark): void {
    this.#marks.push(mark)
  }

  /** The batch, and how far it brings each log. Begins anew. */
  take(): { readonly batch: Batch; readonly tracked: readonly Tracked[] } {
    const files = [...this.#files.values()]
    const marks = [...this.#marks, ...files.map(({ to, root }) => this.#tracking.markOf(to, this.#machine.id, root))]
    const hash = createHash('sha256').update(this.#machine.id)
    for (const { from, to } of files) hash.update(`\0${to.file}\0${to.generation}\0${from}\0${to.cursor.line}`)
    // A log that moves to and fro is marked anew each time, although nothing of it was added.
    for (const { file, generation, cursor } of marks) hash.update(`\0${file}\0${generation}\0${cursor?.modifiedAt}`)
    for (const { file, contentHash } of this.#documents) hash.update(`\0${file}\0${contentHash}`)
    const batch = {
      id: hash.digest('hex').slice(0, 32),
      machine: this.#machine,
      rows: this.#rows,
      documents: this.#documents,
      marks,
      tombstones: [],
    }
    this.#files.clear()
    this.#rows = []
    this.#documents = []
    this.#marks = []
    this.#bytes = 0
    return { batch, tracked: files.map(({ to }) => to) }
  }
}

/** The name of a delivery that carries tombstones only. */
export function tombstoneBatchId(machine: string, tombstones: readonly string[]): string {
  return createHash('sha256').update(`${machine}\0purged\0${tombstones.join()}`).digest('hex').slice(0, 32)
}
