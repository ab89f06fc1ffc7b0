import { parentPort, workerData } from 'node:worker_threads'
import { onMessages } from '../disk/end-thread.ts'
import { openIndexer } from './indexer.ts'
import { openOpRunner, type Question, type Setup } from './op-runner.ts'
import { openScout } from './scout.ts'

/** What a thread is told when it starts. */
export interface Hire {
  readonly role: 'runner' | 'scout' | 'indexer'
  readonly setup: Setup
}

/** What a scout's thread is told. */
export type Order =
  | { readonly kind: 'follow'; readonly id: number; readonly session: string; readonly from: number | undefined }
  | { readonly kind: 'leave'; readonly id: number }

/** Progress is told so often at most. */
const TELL_MS = 100

/** A thread that runs operations, watches logs or indexes them, so that the one that serves is always free. */
const { role, setup } = workerData as Hire
if (role === 'runner') work()
else if (role === 'scout') scout()
else index()

function work(): void {
  let toldAt = 0
  const runner = openOpRunner(setup, (op, doneBytes, totalBytes) => {
    const now = performance.now()
    if (now - toldAt < TELL_MS) return
    toldAt = now
    parentPort?.postMessage({ progress: { op, doneBytes, totalBytes } })
  })
  onMessages(parentPort, async (question: Question) => {
    const answer = await runner.answer(question)
    parentPort?.postMessage({ answer }, [answer.body.buffer])
  })
}

function scout(): void {
  const scout = openScout(setup, (sighting) => parentPort?.postMessage(sighting))
  onMessages(parentPort, (order: Order) => {
    if (order.kind === 'follow') scout.follow(order.id, order.session, order.from)
    else scout.leave(order.id)
  })
}

function index(): void {
  const indexer = openIndexer(setup, (state) => parentPort?.postMessage(state))
  onMessages(parentPort, () => indexer.look())
}
