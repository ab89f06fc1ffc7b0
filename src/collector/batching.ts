import { createHash } from 'node:crypto'
import type { Names } from './names.ts'
import type { TeamDocument, TeamRow } from './row.ts'
import type { Batch, Machine, Mark } from './sink.ts'
import type { Tracked } from './state.ts'

/** Gathers rows until there are enough for one delivery. Holds no more than that. */
export class Batching {
  readonly #machine: Machine
  readonly #names: Names
  readonly #files = new Map<string, { readonly from: number; readonly to: Tracked; readonly root: string }>()
  #rows: TeamRow[] = []
  #documents: TeamDocument[] = []
  #bytes = 0

  constructor(machine: Machine, names: Names) {
    this.#machine = machine
    this.#names = names
  }

  get bytes(): number {
    return this.#bytes
  }

  get count(): number {
    return this.#rows.length + this.#documents.length
  }

  get isEmpty(): boolean {
    return this.#files.size === 0 && this.#documents.length === 0
  }

  /** Adds lines of a log that follow those that were added before. */
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

  /** The batch, and how far it brings each log. Begins anew. */
  take(): { readonly batch: Batch; readonly tracked: readonly Tracked[] } {
    const files = [...this.#files.values()]
    const marks = files.map(({ to, root }) => this.#markOf(to, root))
    const hash = createHash('sha256').update(this.#machine.id)
    for (const { from, to } of files) hash.update(`\0${to.file}\0${to.generation}\0${from}\0${to.cursor.offset}`)
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
    this.#bytes = 0
    return { batch, tracked: files.map(({ to }) => to) }
  }

  /** The cursor goes along, so that a machine that lost its memory finds its place; its path leaves as paths may. */
  #markOf({ file, generation, cursor }: Tracked, root: string): Mark {
    const path = this.#names.file({ root, path: cursor.path })
    return { machine: this.#machine.id, file, generation, offset: cursor.offset, cursor: { ...cursor, path } }
  }
}

/** The name of a delivery that carries tombstones only. */
export function tombstoneBatchId(machine: string, tombstones: readonly string[]): string {
  return createHash('sha256').update(`${machine}\0purged\0${tombstones.join()}`).digest('hex').slice(0, 32)
}
