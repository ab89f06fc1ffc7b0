import type { Answer } from './op-runner.ts'
import { isFresh, type WorkerPool } from './worker-pool.ts'
import type { WriterEvent } from './writer.ts'

/** A pool whose answers are never older than what the writer had noticed when they were asked for. */
export interface FreshPool extends Pick<WorkerPool, 'ask'> {
  hear(event: WriterEvent): void
}

/** Holds questions back until what was noticed before them can be answered from. */
export function freshPool(pool: WorkerPool): FreshPool {
  const pending: (() => void)[] = []
  let fresh = Promise.resolve()
  let refused: Answer | undefined
  let isServed = false

  function hold(): void {
    fresh = new Promise((resolve) => pending.push(resolve))
  }

  // Nothing is known before the first listing.
  hold()
  return {
    async ask(question, signal) {
      if (!isServed || !isFresh(question)) await fresh
      return refused ?? pool.ask(question, signal)
    },
    hear(event) {
      if (event.kind === 'noticed') hold()
      else if (event.kind === 'change' || event.kind === 'settled') pending.shift()?.()
      else if (event.kind === 'update') {
        pool.reload(event.update)
        refused = undefined
        if (!isServed) pending.shift()?.()
        isServed = true
      } else if (event.kind === 'unavailable') {
        if (!isServed) refused = event.answer
        for (const release of pending.splice(0)) release()
      }
    },
  }
}
