import { Worker } from 'node:worker_threads'
import { type Answer, failed, type OnProgress, openClerk, type Question, refusalAnswer, type Setup } from './clerk.ts'
import type { Refusal } from './refusal.ts'

/** Takes questions and gives answers; how, and how many at a time, is its own affair. */
export interface Desk {
  /** Never rejects. Who no longer waits may say so: a question that has not begun is then dropped. */
  ask(question: Question, signal?: AbortSignal): Promise<Answer>
  close(): Promise<void>
}

export interface DeskOptions {
  /** The worker's script; without it, questions are answered in this thread. */
  readonly script: string | undefined
  readonly threads: number
  readonly timeLimitMs: number
  readonly onProgress: OnProgress
}

/** How many questions may wait. */
const MOST_WAITING = 200

const BUSY: Refusal = {
  status: 503,
  code: 'BUSY',
  message: 'Too much is being asked at once.',
  hint: 'Try again in a moment.',
}

const TOO_SLOW: Refusal = {
  status: 503,
  code: 'TOO_SLOW',
  message: 'This took too long and was stopped.',
  hint: 'Ask for less, or run it on the command line, which has all the time it needs.',
}

const DROPPED: Refusal = { status: 503, code: 'DROPPED', message: 'Nobody waits for this any more.' }

/** Opens a desk with threads of its own, so that long work holds up nothing but itself. */
export function openDesk(setup: Setup, options: DeskOptions): Desk {
  if (options.script !== undefined) return threadedDesk(setup, options.script, options)
  const clerk = openClerk(setup, options.onProgress)
  return { ask: (question) => clerk.answer(question), close: async () => clerk.close() }
}

/** Operations that may read every log there is, or all of a long one. */
const LONG: ReadonlySet<string> = new Set([
  'archive',
  'check',
  'context',
  'doctor',
  'files',
  'find',
  'index',
  'keep',
  'outline',
  'plans',
  'receipt',
  'redact',
  'skills',
  'stats',
  'todos',
  'tree',
  'usage',
])

function isLong({ op, input }: Question): boolean {
  return LONG.has(op) || input.full === true
}

interface Job {
  readonly question: Question
  readonly signal: AbortSignal | undefined
  readonly settle: (answer: Answer) => void
}

function threadedDesk(setup: Setup, script: string, { threads, timeLimitMs, onProgress }: DeskOptions): Desk {
  const waiting: Job[] = []
  const idle: Worker[] = []
  const busy = new Map<Worker, { readonly job: Job; readonly timer: NodeJS.Timeout }>()
  let isClosed = false

  function hire(): Worker {
    const worker = new Worker(script, { workerData: { role: 'clerk', setup } })
    worker.on('message', ({ answer, progress }: Said) => {
      if (progress) onProgress(progress.op, progress.doneBytes, progress.totalBytes)
      if (answer) finish(worker, answer)
    })
    // A thread that dies (out of memory, for one) takes its question with it and nothing else.
    worker.on('error', (error) => dismiss(worker, failed(error)))
    worker.on('exit', () => dismiss(worker, failed(new Error('A thread ended by itself.'))))
    return worker
  }

  function finish(worker: Worker, answer: Answer): void {
    release(worker, answer)
    idle.push(worker)
    next()
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
      if (job.signal?.aborted) job.settle(refusalAnswer(DROPPED))
      else if (isClosed || !mayBegin(job)) waiting.push(job)
      else give(idle.pop() ?? hire(), job)
    }
  }

  /** One thread is kept for what is answered at once: a list must not wait for a sum over everything. */
  function mayBegin({ question }: Job): boolean {
    if (busy.size >= threads) return false
    const long = [...busy.values()].filter(({ job }) => isLong(job.question)).length
    return !isLong(question) || long < Math.max(1, threads - 1)
  }

  function give(worker: Worker, job: Job): void {
    const timer = setTimeout(() => {
      release(worker, refusalAnswer(TOO_SLOW))
      void worker.terminate()
    }, timeLimitMs)
    busy.set(worker, { job, timer })
    worker.postMessage(job.question)
  }

  // The first question should not wait for a thread to start.
  idle.push(hire())
  return {
    ask(question, signal) {
      if (isClosed || waiting.length >= MOST_WAITING) return Promise.resolve(refusalAnswer(BUSY))
      return new Promise((settle) => {
        waiting.push({ question, signal, settle })
        next()
      })
    },
    async close() {
      isClosed = true
      const all = [...idle, ...busy.keys()]
      for (const worker of busy.keys()) release(worker, refusalAnswer(BUSY))
      for (const job of waiting.splice(0)) job.settle(refusalAnswer(BUSY))
      await Promise.all(all.map((worker) => worker.terminate()))
    },
  }
}

interface Said {
  readonly answer?: Answer
  readonly progress?: { readonly op: string; readonly doneBytes: number; readonly totalBytes: number }
}
