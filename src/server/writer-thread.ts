import { Worker } from 'node:worker_threads'
import { endThread } from '../disk/end-thread.ts'
import { failed, type Setup } from './op-runner.ts'
import type { WorkerStart } from './worker.ts'
import { YOUNG } from './worker-pool.ts'
import { openWriter, type Writer, type WriterEvent } from './writer.ts'

/** What the thread of a writer is told. */
export type WriterOrder =
  | { readonly kind: 'look'; readonly id: number }
  | { readonly kind: 'follow'; readonly id: number; readonly session: string; readonly from: number | undefined }
  | { readonly kind: 'leave'; readonly id: number }

/** What it tells. */
export type WriterMessage = WriterEvent | { readonly kind: 'looked'; readonly id: number }

export interface WriterOptions {
  /** The worker's script; without it, the work is done in this thread. */
  readonly script: string | undefined
  readonly tell: (event: WriterEvent) => void
  /** Called when the thread died of what nobody foresaw: what was followed no longer is. */
  readonly onLost: (bug: string) => void
}

/** As long as it may wait for an index that somebody else writes to. */
const END_MS = 25_000
/** A thread that died is started again after so long. */
const AGAIN_MS = 5000

/** Starts a writer in a thread of its own, and again where that dies. */
export function startWriter(setup: Setup, { script, tell, onLost }: WriterOptions): Writer {
  if (script === undefined) return openWriter(setup, tell)
  const looks = new Map<number, () => void>()
  let lastLook = 0
  let isClosed = false
  let worker = start(script)

  function start(path: string): Worker {
    const made = new Worker(path, {
      workerData: { role: 'writer', setup } satisfies WorkerStart,
      resourceLimits: YOUNG,
    })
    made.on('message', (message: WriterMessage) => {
      if (message.kind === 'looked') finish(message.id)
      else tell(message)
    })
    made.on('error', (error) => {
      const answer = failed(error)
      tell({ kind: 'unavailable', answer })
      onLost(answer.bug ?? error.message)
      setTimeout(() => {
        if (!isClosed) worker = start(path)
        for (const id of [...looks.keys()]) finish(id)
      }, AGAIN_MS).unref()
    })
    return made
  }

  function finish(id: number): void {
    looks.get(id)?.()
    looks.delete(id)
  }

  const send = (order: WriterOrder) => worker.postMessage(order)
  return {
    look: () =>
      new Promise((done) => {
        looks.set(++lastLook, done)
        send({ kind: 'look', id: lastLook })
      }),
    follow: (id, session, from) => send({ kind: 'follow', id, session, from }),
    leave: (id) => send({ kind: 'leave', id }),
    async close() {
      isClosed = true
      await endThread(worker, END_MS)
    },
  }
}
