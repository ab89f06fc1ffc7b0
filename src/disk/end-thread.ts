import type { MessagePort, Worker } from 'node:worker_threads'

const END = 'end'

/**
 * Ends a thread once it has done what it is doing. It is broken off only after a while: inside SQLite's addon that brings
 * down the whole process.
 */
export async function endThread(worker: Worker, patienceMs = 5_000): Promise<void> {
  // One that has ended hears nothing any more.
  if (worker.threadId === -1) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => void worker.terminate(), patienceMs)
    worker.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    worker.postMessage(END)
  })
}

/** In a thread: hears what it is told until it is to end. */
export function onMessages<T>(port: MessagePort | null, hear: (message: T) => void): void {
  port?.on('message', (message: T | typeof END) => {
    // Here nothing of ours is underway, so nothing is broken off.
    if (message === END) process.exit()
    else hear(message)
  })
}
