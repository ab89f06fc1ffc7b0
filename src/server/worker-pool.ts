import { Worker } from 'node:worker_threads'
import { endThread } from '../disk/end-thread.ts'
import type { HttpError } from './http-error.ts'
import {
  type Answer,
  errorAnswer,
  failed,
  type OnProgress,
  openOpRunner,
  type Question,
  type Setup,
} from './op-runner.ts'
import { type ListingUpdate, NOTHING_SERVED, updated, updateFrom } from './served-logs.ts'
import type { RunnerMessage, RunnerReply, WorkerStart } from './worker.ts'

/** Takes questions and gives answers; how, and how many at a time, is its own affair. */
export interface WorkerPool {
  /** Never rejects. Who no longer waits may say so: a question that has not begun is then dropped. */
  ask(question: Question, signal?: AbortSignal): Promise<Answer>
  /** What is asked from now on is answered from what the writer has found. */
  reload(update: ListingUpdate): void
  close(): Promise<void>
}

export interface PoolOptions {
  /** The worker's script; without it, questions are answered in this thread. */
  readonly script: string | undefined
  readonly threads: number
  readonly timeLimitMs: number
  /** The operations that may take long: they never take all threads. */
  readonly longOps: ReadonlySet<string>
  readonly spareMs?: number
  readonly onProgress: OnProgress
}

/** How many questions may wait. */
const MOST_WAITING = 200

const BUSY: HttpError = {
  status: 503,
  code: 'BUSY',
  message: 'Too much is being asked at once.',
  hint: 'Try again in a moment.',
}

const TOO_SLOW: HttpError = {
  status: 503,
  code: 'TOO_SLOW',
  message: 'This took too long and was stopped.',
  hint: 'Ask for less, or run it on the command line, which has all the time it needs.',
}

const DROPPED: HttpError = { status: 503, code: 'DROPPED', message: 'The request was cancelled.' }

/** Opens a pool with threads of its own, so that long work holds up nothing but itself. */
export function openWorkerPool(setup: Setup, options: PoolOptions): WorkerPool {
  if (options.script !== undefined) return threadedPool(setup, options.script, options)
  const runner = openOpRunner(setup, options.onProgress)
  return { ask: runner.answer, reload: runner.reload, close: async () => runner.close() }
}

/** The session that a question needs opened; its end alone is read without that. */
function sessionOf({ input }: Question): string | undefined {
  return typeof input.session === 'string' && input.offset === undefined ? input.session : undefined
}

/** Asks for what was just written to a log, which is read from there whatever is known of it. */
export function isFresh({ op, input }: Question): boolean {
  return op === 'read' && input.offset !== undefined
}

/** How long a question waits for the thread that has its session open: opening a long one again takes longer. */
const PATIENCE_MS = 250
/** So many sessions a thread is taken to have open. */
const MOST_OPEN = 4

/** Threads that nobody needed for so long end, but for the one that worked last: each holds tens of megabytes. */
const SPARE_MS = 10_000

/** What is made anew goes through a small room: each thread keeps three times that for itself, whether it needs it or not. */
export const YOUNG = { maxYoungGenerationSizeMb: 4 }

interface Job {
  readonly question: Question
  readonly signal: AbortSignal | undefined
  /** When any thread will do. */
  readonly anyAt: number
  readonly settle: (answer: Answer) => void
}

function threadedPool(
  setup: Setup,
  script: string,
  { threads, timeLimitMs, longOps, spareMs = SPARE_MS, onProgress }: PoolOptions,
): WorkerPool {
  const waiting: Job[] = []
  const idle: Worker[] = []
  const busy = new Map<Worker, { readonly job: Job; readonly timer: NodeJS.Timeout }>()
  /** The sessions that each thread opened last. */
  const open = new WeakMap<Worker, readonly string[]>()
  let served = NOTHING_SERVED
  let isClosed = false
  let spare: NodeJS.Timeout | undefined

  const isLong = ({ op, input }: Question) => longOps.has(op) || input.full === true

  function start(): Worker {
    const worker = new Worker(script, {
      workerData: { role: 'runner', setup } satisfies WorkerStart,
      resourceLimits: YOUNG,
    })
    tell(worker, { update: updateFrom(NOTHING_SERVED, served) })
    worker.on('message', ({ answer, progress }: RunnerReply) => {
      if (progress) onProgress(progress.op, progress.doneBytes, progress.totalBytes)
      if (answer) finish(worker, answer)
    })
    // A thread that dies (out of memory, for one) takes its question with it and nothing else.
    worker.on('error', (error) => dismiss(worker, failed(error)))
    worker.on('exit', () => dismiss(worker, failed(new Error('A thread ended by itself.'))))
    return worker
  }

  function tell(worker: Worker, message: RunnerMessage): void {
    worker.postMessage(message)
  }

  function finish(worker: Worker, answer: Answer): void {
    release(worker, answer)
    idle.push(worker)
    clearTimeout(spare)
    spare = setTimeout(endSpare, spareMs).unref()
    next()
  }

  function endSpare(): void {
    const ended = idle.splice(0, busy.size > 0 ? idle.length : idle.length - 1)
    for (const worker of ended) void endThread(worker)
  }

  function dismiss(worker: Worker, answer: Answer): void {
    const at = idle.indexOf(worker)
    if (at !== -1) idle.splice(at, 1)
    release(worker, answer)
    next()
  }

  function release(worker: Worker, answer: Answer): void {
    const work = busy.get(worker)
    clearTimeout(work?.timer)
    busy.delete(worker)
    work?.job.settle(answer)
  }

  function next(): void {
    for (const job of waiting.splice(0)) {
      if (job.signal?.aborted) job.settle(errorAnswer(DROPPED))
      else if (isClosed || !mayBegin(job) || isBetterWaiting(job)) waiting.push(job)
      else give(takeFor(job) ?? start(), job)
    }
  }

  function hasOpen(worker: Worker, { question }: Job): boolean {
    const session = sessionOf(question)
    return session !== undefined && (open.get(worker)?.includes(session) ?? false)
  }

  /** Whether a thread that is busy now has the session open. Two copies of a long one take twice the memory. */
  function isBetterWaiting(job: Job): boolean {
    if (idle.some((worker) => hasOpen(worker, job))) return false
    if (![...busy.keys()].some((worker) => hasOpen(worker, job))) return false
    const left = job.anyAt - performance.now()
    if (left <= 0) return false
    setTimeout(next, left).unref()
    return true
  }

  function takeFor(job: Job): Worker | undefined {
    const worker = idle.findLast((one) => hasOpen(one, job)) ?? idle.at(-1)
    if (worker) idle.splice(idle.indexOf(worker), 1)
    return worker
  }

  /**
   * One thread is kept for what is answered at once: a list must not wait for a sum over everything. And one more may be
   * started for what was just written: somebody looks at it.
   */
  function mayBegin({ question }: Job): boolean {
    if (busy.size >= threads + (isFresh(question) ? 1 : 0)) return false
    const long = [...busy.values()].filter(({ job }) => isLong(job.question)).length
    return !isLong(question) || long < Math.max(1, threads - 1)
  }

  function give(worker: Worker, job: Job): void {
    const timer = setTimeout(() => {
      // What it may still say is no answer to anything.
      worker.removeAllListeners('message')
      release(worker, errorAnswer(TOO_SLOW))
      void endThread(worker)
    }, timeLimitMs)
    busy.set(worker, { job, timer })
    const session = sessionOf(job.question)
    if (session !== undefined) {
      const others = (open.get(worker) ?? []).filter((one) => one !== session)
      open.set(worker, [session, ...others].slice(0, MOST_OPEN))
    }
    tell(worker, { question: job.question })
  }

  // The first question should not wait for a thread to start.
  idle.push(start())
  return {
    ask(question, signal) {
      if (isClosed || waiting.length >= MOST_WAITING) return Promise.resolve(errorAnswer(BUSY))
      return new Promise((settle) => {
        waiting.push({ question, signal, settle, anyAt: performance.now() + PATIENCE_MS })
        next()
      })
    },
    reload(update) {
      served = updated(served, update)
      for (const worker of [...idle, ...busy.keys()]) tell(worker, { update })
      next()
    },
    async close() {
      isClosed = true
      clearTimeout(spare)
      const all = [...idle, ...busy.keys()]
      for (const worker of busy.keys()) release(worker, errorAnswer(BUSY))
      for (const job of waiting.splice(0)) job.settle(errorAnswer(BUSY))
      await Promise.all(all.map((worker) => endThread(worker)))
    },
  }
}
