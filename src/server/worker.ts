import { parentPort, workerData } from 'node:worker_threads'
import { onMessages } from '../disk/end-thread.ts'
import { openIdleMemory } from './idle-memory.ts'
import { type Answer, openOpRunner, type Question, type Setup } from './op-runner.ts'
import type { ListingUpdate } from './served-logs.ts'
import { openWriter } from './writer.ts'
import type { WriterMessage, WriterOrder } from './writer-thread.ts'

/** What a thread is given when it starts. */
export interface WorkerStart {
  readonly role: 'runner' | 'writer'
  readonly setup: Setup
}

/** What a thread that runs operations is told. */
export type RunnerMessage = { readonly question: Question } | { readonly update: ListingUpdate }

/** What it tells. */
export interface RunnerReply {
  readonly answer?: Answer
  readonly progress?: { readonly op: string; readonly doneBytes: number; readonly totalBytes: number }
}

/** Progress is told so often at most. */
const TELL_MS = 100

/** A thread that runs operations, or writes the index, so that the one that serves is always free. */
const { role, setup } = workerData as WorkerStart
if (role === 'runner') run()
else write()

function run(): void {
  let toldAt = 0
  const reply = (told: RunnerReply) => parentPort?.postMessage(told, told.answer ? [told.answer.body.buffer] : [])
  const runner = openOpRunner(setup, (op, doneBytes, totalBytes) => {
    const now = performance.now()
    if (now - toldAt < TELL_MS) return
    toldAt = now
    reply({ progress: { op, doneBytes, totalBytes } })
  })
  const rest = openIdleMemory(runner.letGo)
  onMessages(parentPort, async (message: RunnerMessage) => {
    if ('update' in message) runner.reload(message.update)
    else reply({ answer: await runner.answer(message.question) })
    rest()
  })
}

function write(): void {
  const rest = openIdleMemory()
  const tell = (message: WriterMessage) => {
    rest()
    parentPort?.postMessage(message)
  }
  const writer = openWriter(setup, tell)
  onMessages(parentPort, async (order: WriterOrder) => {
    if (order.kind === 'follow') writer.follow(order.id, order.session, order.from)
    else if (order.kind === 'leave') writer.leave(order.id)
    else await writer.look().then(() => tell({ kind: 'looked', id: order.id }))
  })
}
