import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Failure } from '../core/failure.ts'
import { endThread } from '../disk/end-thread.ts'
import { openLibrary } from '../history/compose.ts'
import { catchUp } from '../ops/indexing.ts'
import type { Setup } from './op-runner.ts'
import type { Hire } from './worker.ts'

/** How far the index has come with what it did not know yet. */
export interface IndexState {
  readonly doneBytes: number
  readonly totalBytes: number
  /** Why it does not go on, in a sentence. */
  readonly trouble: string | null
}

/** Keeps the index up to date in the background. */
export interface Indexer {
  /** Logs may have changed. */
  look(): void
  close(): void | Promise<void>
}

export interface IndexerOptions {
  /** The worker's script; without it, the work is done in this thread. */
  readonly script: string | undefined
  readonly tell: (state: IndexState) => void
  /** Hears of what nobody foresaw: then nothing more is indexed. */
  readonly onBug: (text: string) => void
}

/** Others need the index too, and opening it takes a lock: after so long they get their turn, if they look as often as SQLite does. */
const SLICE_MS = 400
const PAUSE_MS = 120
/** After trouble it is tried again by itself, for a disk may get room. */
const AGAIN_MS = 30_000
/** As long as it may wait for an index that somebody else writes to. */
const END_MS = 25_000

/** Starts an indexer, which begins at once. */
export function startIndexer(setup: Setup, { script, tell, onBug }: IndexerOptions): Indexer {
  if (script === undefined) return openIndexer(setup, tell)
  const worker = new Worker(script, { workerData: { role: 'indexer', setup } satisfies Hire })
  worker.on('message', tell)
  worker.on('error', (error) => onBug(error instanceof Error ? (error.stack ?? error.message) : String(error)))
  return { look: () => worker.postMessage('look'), close: () => endThread(worker, END_MS) }
}

/** An indexer in this thread: it works in slices and tells how far it is after each. */
export function openIndexer(setup: Setup, tell: (state: IndexState) => void): Indexer {
  const nothing = () => {}
  const library = openLibrary(setup.roots, nothing, setup.dataDir)
  const context = { ...setup, library, now: new Date(), warn: nothing, progress: nothing }
  let isBusy = false
  let isAgain = false
  let isClosed = false

  async function run(): Promise<void> {
    if (isBusy) {
      isAgain = true
      return
    }
    isBusy = true
    do {
      isAgain = false
      await round()
    } while (isAgain && !isClosed)
    isBusy = false
  }

  async function round(): Promise<void> {
    let [doneBytes, totalBytes] = [0, 0]
    try {
      library.refresh()
      // Only a look: how much there is.
      totalBytes = catchUp(context, -1).behindBytes
      for (let isMore = totalBytes > 0; isMore && !isClosed; ) {
        tell({ doneBytes, totalBytes, trouble: null })
        await sleep(PAUSE_MS)
        const { bytesRead, behindBytes } = catchUp(context, SLICE_MS)
        doneBytes += bytesRead
        totalBytes = doneBytes + behindBytes
        isMore = behindBytes > 0 && bytesRead > 0
      }
      tell({ doneBytes, totalBytes, trouble: null })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      tell({ doneBytes, totalBytes, trouble: error.message })
      setTimeout(() => void (isClosed || run()), AGAIN_MS).unref()
    }
  }

  void run()
  return {
    look: () => void run(),
    close() {
      isClosed = true
      library.close()
    },
  }
}
