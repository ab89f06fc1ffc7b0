import type { Followed } from './tracking.ts'

/** How far one log is behind. */
export interface Lag {
  readonly path: string
  readonly sizeBytes: number
  readonly sentBytes: number
}

/** How far the logs are behind that were looked at last. */
export class Lags {
  readonly #lags = new Map<string, Lag>()

  clear(): void {
    this.#lags.clear()
  }

  /** Notes that a log has to be read on. */
  add({ entry, cursor }: Followed): void {
    this.#lags.set(entry.path, { path: entry.path, sizeBytes: entry.sizeBytes, sentBytes: cursor.offset })
  }

  remove(path: string): void {
    this.#lags.delete(path)
  }

  arrived(path: string, sentBytes: number): void {
    const lag = this.#lags.get(path)
    if (lag) this.#lags.set(path, { ...lag, sentBytes })
  }

  all(): readonly Lag[] {
    return [...this.#lags.values()].filter(({ sizeBytes, sentBytes }) => sizeBytes > sentBytes)
  }

  /** Bytes of all of them. */
  total(): number {
    return this.all().reduce((sum, one) => sum + one.sizeBytes - one.sentBytes, 0)
  }
}
