import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Transferable, Worker } from 'node:worker_threads'

/** Below this many bytes to read, starting threads costs more than it saves. */
export const WORTH_BYTES = 24 * 1024 * 1024

/** Where the script of a kind of thread lies in the package; `undefined` where the sources run by themselves. */
export function threadScript(name: string): string | undefined {
  const script = fileURLToPath(new URL(`./${name}.cjs`, import.meta.url))
  return existsSync(script) ? script : undefined
}

// Takes milliseconds to load, and most commands need no thread.
const workerThreads = () => process.getBuiltinModule('node:worker_threads')

/** Jobs for threads that run a script, and who takes what they come to. */
export interface ThreadWork<J, R> {
  readonly script: string
  readonly jobs: readonly J[]
  readonly bytesOf: (job: J) => number
  /** Takes the results in the order of the jobs, on this thread. Stops the work by saying no. */
  readonly take: (job: J, result: R) => boolean | undefined
  /** How much taking costs beside reading: a little, or as much that this thread needs a core for it. */
  readonly taking: 'light' | 'heavy'
}

/** So many bytes of log travel to a thread and back at once: a message for each small log would cost as much as reading it. */
const BATCH_BYTES = 2 * 1024 * 1024
const BATCH_JOBS = 64

/** Has threads work on jobs, one for each core. A few results at most wait for their turn, so memory stays bounded whatever the jobs are. */
export async function onAllCores<J, R>(work: ThreadWork<J, R>): Promise<void> {
  const batches = inBatches(work.jobs, work.bytesOf)
  const cores = work.taking === 'light' ? availableParallelism() : Math.max(1, availableParallelism() - 1)
  const threads = Array.from({ length: Math.min(cores, batches.length) }, () => new Thread<J, R>(work.script))
  const done = new Map<number, readonly R[]>()
  const idle: (() => void)[] = []
  let begun = 0
  let taken = 0
  let isOver = false
  const stop = () => {
    isOver = true
    for (const wake of idle.splice(0)) wake()
  }
  const next = async (): Promise<number | undefined> => {
    while (done.size > 3 * threads.length && !isOver) await new Promise<void>((resolve) => idle.push(resolve))
    return isOver || begun === batches.length ? undefined : begun++
  }
  const finish = (index: number, results: readonly R[]) => {
    done.set(index, results)
    for (let some = done.get(taken); some && !isOver; some = done.get(taken)) {
      done.delete(taken)
      const jobs = batches[taken++] as readonly J[]
      if (some.some((result, i) => work.take(jobs[i] as J, result) === false)) stop()
    }
    for (const wake of idle.splice(0)) wake()
  }
  const drive = async (thread: Thread<J, R>) => {
    for (let index = await next(); index !== undefined; index = await next())
      finish(index, await thread.ask(batches[index] as readonly J[]))
  }
  try {
    // Two batches are with each thread, so that none waits for this one.
    await Promise.all(threads.flatMap((thread) => [drive(thread), drive(thread)]))
  } finally {
    // The others must not wait for a result that will never come.
    stop()
    await Promise.all(threads.map((thread) => thread.end()))
  }
}

function inBatches<J>(jobs: readonly J[], bytesOf: (job: J) => number): readonly (readonly J[])[] {
  const batches: J[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const job of jobs) {
    if (bytes >= BATCH_BYTES || (batches.at(-1)?.length ?? 0) >= BATCH_JOBS) {
      batches.push([])
      bytes = 0
    }
    batches.at(-1)?.push(job)
    bytes += bytesOf(job)
  }
  return batches
}

/** A thread that answers one question after the other. */
class Thread<J, R> {
  readonly #worker: Worker
  readonly #asked: { readonly resolve: (results: readonly R[]) => void; readonly reject: (error: unknown) => void }[] =
    []

  constructor(script: string) {
    this.#worker = new (workerThreads().Worker)(script)
    this.#worker.on('message', (results: readonly R[]) => this.#asked.shift()?.resolve(results))
    this.#worker.on('error', (error) => {
      for (const { reject } of this.#asked.splice(0)) reject(error)
    })
  }

  ask(jobs: readonly J[]): Promise<readonly R[]> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject })
      this.#worker.postMessage(jobs)
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}

/** What the script of a thread does: jobs come, results go. What `movedOf` names of a result is handed over, not copied. */
export function answerJobs<J, R>(
  answer: (job: J) => R,
  movedOf: (result: R) => readonly Transferable[] = () => [],
): void {
  const { parentPort } = workerThreads()
  parentPort?.on('message', (jobs: readonly J[]) => {
    const results = jobs.map(answer)
    parentPort.postMessage(results, results.flatMap(movedOf))
  })
}
