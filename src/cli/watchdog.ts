import type { Watchdog } from '../history/context.ts'
import { plain } from './terminal/sanitize.ts'

/**
 * A thread that ends the process: SQLite runs on the main thread and cannot be interrupted. A thread cannot choose the exit code; of
 * this signal shells make 130, which is that of what was interrupted.
 */
export function openWatchdog(): Watchdog {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const thread = new Worker(WATCH, { eval: true })
  thread.unref()
  let listeners: ReturnType<typeof process.rawListeners> = []
  return {
    begin(ms, message) {
      // No listener is called while a query runs: without them the signal itself ends the process, also when a person sends it.
      listeners = process.rawListeners('SIGINT')
      process.removeAllListeners('SIGINT')
      thread.postMessage({ ms, message: `${plain(message)}\n` })
    },
    close() {
      void thread.terminate()
      for (const listener of listeners) process.on('SIGINT', listener as () => void)
    },
  }
}

const WATCH = `
const { writeSync } = require('node:fs')
const { parentPort } = require('node:worker_threads')
parentPort.once('message', ({ ms, message }) => setTimeout(() => {
  try { writeSync(2, message) } catch {}
  process.kill(process.pid, 'SIGINT')
}, ms))
`
