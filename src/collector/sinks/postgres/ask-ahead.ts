import { type StartedThread, startThread } from '../started-thread.ts'

const PROGRAM = new URL('./ask-postgres.mjs', import.meta.url)

let ahead: StartedThread | undefined

/** Starts the thread that will ask a PostgreSQL: that takes as long as to load everything else, and can happen meanwhile. */
export function startAhead(): void {
  ahead = startThread(PROGRAM)
}

/** The thread that was started ahead, or a new one. */
export function askingThread(): StartedThread {
  const thread = ahead ?? startThread(PROGRAM)
  ahead = undefined
  return thread
}
