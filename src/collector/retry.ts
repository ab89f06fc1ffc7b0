import { SinkTrouble } from './sink.ts'

/** Time as it passes here; tests bring their own. */
export interface Clock {
  now(): number
  /** Ends early when the signal comes. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
  /** From 0 up to 1. */
  random(): number
}

/** The clock of this machine. */
export const realClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal?.addEventListener('abort', done)
    }),
  random: Math.random,
}

export interface RetryOptions {
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  /** How often to try; for ever by default. */
  readonly attempts?: number
  readonly onTrouble?: (trouble: SinkTrouble, waitMs: number) => void
}

const FIRST_MS = 500
const MOST_MS = 5 * 60_000

/**
 * Tries until it works. Waits longer each time, up to five minutes, and never as long as the others do: a thousand machines
 * must not come back in the same second. What does not pass by itself is thrown at once; so is the last trouble when the
 * signal comes.
 */
export async function untilDone<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, signal, attempts = Number.POSITIVE_INFINITY, onTrouble } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof SinkTrouble) || !error.passes || attempt >= attempts || signal?.aborted) throw error
      const usual = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20))
      const waitMs = Math.max(error.retryAfterMs ?? 0, usual * (0.5 + clock.random() / 2))
      onTrouble?.(error, waitMs)
      await clock.sleep(waitMs, signal)
      if (signal?.aborted) throw error
    }
  }
}
