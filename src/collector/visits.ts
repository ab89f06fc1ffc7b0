import { randomUUID } from 'node:crypto'
import { startCursor } from '../disk/cursor.ts'
import type { Seal } from './seal.ts'
import type { Mark } from './sink.ts'

/** Somebody else delivers under the id of this machine: its home was copied, and ours with it. */
export class AnotherCame extends Error {
  constructor() {
    super('Another machine delivers under the id of this one.')
    this.name = 'AnotherCame'
  }
}

/** The key of a mark that stands for no log. */
const FILE = 'annals:visit'

/**
 * Each run leaves a number at the sink that was made at random, and remembers it before it does. Where the sink has another
 * one, a machine with the same id was there: two of them would take each other's logs for their own, and send them for ever.
 * Whoever remembers nothing is believed.
 */
export class Visits {
  readonly #seal: Seal
  readonly #token = randomUUID()
  #tokens: readonly string[] = []
  #last: string | undefined
  #isDue = true

  constructor(seal: Seal) {
    this.#seal = seal
  }

  /** What the sink may have of us. */
  get tokens(): readonly string[] {
    return this.#tokens
  }

  /** Takes what the sink has, and gives the marks of logs. */
  begin(marks: readonly Mark[], remembered: readonly string[]): readonly Mark[] {
    this.#last = marks.find(({ file }) => file === FILE)?.cursor?.path
    if (this.#last !== undefined && remembered.length > 0 && !remembered.includes(this.#last)) throw new AnotherCame()
    this.#tokens = remembered
    return marks.filter(({ file }) => file !== FILE)
  }

  /** The mark that has to go along with the next delivery, if it has not yet; it must be remembered first. */
  due(machine: string): Mark | undefined {
    if (!this.#isDue) return undefined
    this.#tokens = [...(this.#last === undefined ? [] : [this.#last]), this.#token]
    const cursor = startCursor({ root: '', path: this.#token, sizeBytes: 0, modifiedAt: 0 })
    return { machine, file: FILE, generation: 1, offset: 0, cursor: this.#seal.close(cursor, this.#token, 0) }
  }

  arrived(): void {
    this.#isDue = false
  }
}
