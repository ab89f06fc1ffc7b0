import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'

/** A thread that asks a store. Its first message says with what; each after that is a question. */
export interface StartedThread {
  readonly worker: Worker
  readonly port: MessagePort
  /** Grows by one with every answer. */
  readonly signal: Int32Array
}

/** Starts a thread; whoever is done does not wait for it. */
export function startThread(program: URL): StartedThread {
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const { port1: port, port2 } = new MessageChannel()
  const worker = new Worker(program, {
    workerData: { port: port2, signal: signal.buffer },
    transferList: [port2],
    stderr: false,
  })
  worker.unref()
  port.unref()
  return { worker, port, signal }
}
