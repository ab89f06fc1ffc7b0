import type { SourceEntry } from '../disk/source.ts'
import { signOf } from './documents.ts'
import type { Clock } from './retry.ts'

const FIRST_MS = 60_000
const MOST_MS = 60 * 60_000

/**
 * Files that gave nothing when they were read: closed to us, or without a whole line. They are left alone until they look
 * different, or for a while that doubles each time: that a file was opened to us cannot be seen from outside.
 */
export class Quarantine {
  readonly #clock: Pick<Clock, 'now'>
  readonly #resting = new Map<string, { readonly sign: string; readonly since: number; readonly waitMs: number }>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Whether a file is to be left alone now. */
  isResting(entry: SourceEntry): boolean {
    const rest = this.#resting.get(entry.path)
    return rest?.sign === signOf(entry) && Math.abs(this.#clock.now() - rest.since) < rest.waitMs
  }

  /** Notes whether anything came of reading a file. */
  note(entry: SourceEntry, hasGiven: boolean): void {
    if (hasGiven) {
      this.#resting.delete(entry.path)
      return
    }
    const before = this.#resting.get(entry.path)
    const sign = signOf(entry)
    const waitMs = before?.sign === sign ? Math.min(MOST_MS, before.waitMs * 2) : FIRST_MS
    this.#resting.set(entry.path, { sign, since: this.#clock.now(), waitMs })
  }
}
