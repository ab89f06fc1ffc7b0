import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** Below this many bytes to read, starting threads costs more than it saves. */
export const WORTH_BYTES = 24 * 1024 * 1024

/** Where the script of a kind of thread lies in the package; `undefined` where the sources run by themselves. */
export function threadScript(name: string): string | undefined {
  const script = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url))
  return existsSync(script) ? script : undefined
}

/** How many threads read where this one writes what they have read: it needs a core too. */
export function readingThreads(): number {
  return Math.max(1, availableParallelism() - 1)
}

/**
 * Has threads work on jobs, as many at once as there are cores, and hands on the results in the order of the jobs. A few results
 * at most wait for their turn, so memory stays bounded whatever the jobs are. Stops early when `give` says so.
 */
export async function onAllCores<J, R>(
  script: string,
  jobs: Iterable<J>,
  give: (job: J, result: R) => boolean | undefined,
  threads = availableParallelism(),
): Promise<void> {
  const queue = jobs[Symbol.iterator]()
  const waiting = new Map<number, { readonly job: J; readonly result: R }>()
  const count = Math.min(threads, Array.isArray(jobs) ? jobs.length : Number.POSITIVE_INFINITY)
  let begun = 0
  let given = 0
  let isOver = false
  const idle: (() => void)[] = []
  const next = (): { readonly index: number; readonly job: J } | undefined => {
    const { value, done } = isOver ? { value: undefined, done: true } : queue.next()
    return done ? undefined : { index: begun++, job: value as J }
  }
  const take = (index: number, job: J, result: R) => {
    waiting.set(index, { job, result })
    for (let one = waiting.get(given); one; one = waiting.get(given)) {
      waiting.delete(given++)
      if (!isOver && give(one.job, one.result) === false) isOver = true
    }
    for (const wake of idle.splice(0)) wake()
  }
  await Promise.all(
    Array.from({ length: count }, async () => {
      const thread = new Thread<J, R>(script)
      try {
        for (;;) {
          // One job ahead for each thread, no more.
          while (waiting.size > 2 * count && !isOver) await new Promise<void>((resolve) => idle.push(resolve))
          const one = next()
          if (!one) return
          take(one.index, one.job, await thread.ask(one.job))
        }
      } catch (error) {
        // The others must not wait for a result that will never come.
        isOver = true
        for (const wake of idle.splice(0)) wake()
        throw error
      } finally {
        await thread.end()
      }
    }),
  )
}

/** A thread that answers one question after the other. */
class Thread<J, R> {
  readonly #worker: Worker
  #settle: { readonly resolve: (result: R) => void; readonly reject: (error: unknown) => void } | undefined

  constructor(script: string) {
    this.#worker = new Worker(script)
    this.#worker.on('message', (result: R) => this.#settle?.resolve(result))
    this.#worker.on('error', (error) => this.#settle?.reject(error))
  }

  ask(job: J): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#worker.postMessage(job)
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
