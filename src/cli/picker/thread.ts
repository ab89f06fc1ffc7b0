import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { endThread } from '../../disk/end-thread.ts'
import type { Context } from '../../history/context.ts'
import type { Answers } from './answers.ts'

/** What the thread needs to know of the world. */
export interface ThreadData extends Pick<Context, 'cwd' | 'home' | 'configDir' | 'cacheDir' | 'dataDir'> {
  readonly roots: readonly string[]
}

export interface Question {
  readonly id: number
  readonly kind: string
  readonly request: unknown
}

export type Reply = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly problem: string }

type Asked<K extends keyof Answers> = Parameters<Answers[K]>[0]
type Answered<K extends keyof Answers> = Awaited<ReturnType<Answers[K]>>

/** Asks questions, one after the other. */
export interface Thread {
  ask<K extends keyof Answers>(kind: K, request: Asked<K>): Promise<Answered<K>>
  close(): Promise<void>
}

/** Starts a thread that answers; where its script is not beside us, as when run from the sources, this one does. */
export async function openThread(context: Context): Promise<Thread> {
  const script = fileURLToPath(new URL('./picker-worker.cjs', import.meta.url))
  return existsSync(script) ? workerThread(script, context) : ownThread(context)
}

async function ownThread(context: Context): Promise<Thread> {
  const { createAnswers } = await import('./answers.ts')
  const answers = createAnswers(context)
  return {
    ask: async (kind, request) => (await answers[kind](request as never)) as never,
    close: async () => {},
  }
}

function workerThread(script: string, { library, cwd, home, configDir, cacheDir, dataDir }: Context): Thread {
  const workerData: ThreadData = { roots: library.roots, cwd, home, configDir, cacheDir, dataDir }
  const worker = new Worker(script, { workerData })
  // Who leaves early does not wait for it.
  worker.unref()
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let asked = 0
  let broken: Error | undefined
  worker.on('message', (reply: Reply) => {
    const asker = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('problem' in reply) asker?.reject(new Error(reply.problem))
    else asker?.resolve(reply.value as never)
  })
  worker.on('error', (error) => {
    broken = error
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  })
  return {
    ask: (kind, request) =>
      new Promise((resolve, reject) => {
        if (broken) return reject(broken)
        const id = ++asked
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, kind, request } satisfies Question)
      }),
    close: () => endThread(worker),
  }
}
