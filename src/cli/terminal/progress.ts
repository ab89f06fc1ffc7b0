import { bytes, duration } from './human.ts'
import { oneLine } from './sanitize.ts'
import { truncate } from './width.ts'

/** Where progress is drawn: standard error. */
export interface ProgressStream {
  write(text: string): unknown
  readonly columns?: number
}

/** What is going on, and how much of it there is. */
export interface ProgressOptions {
  readonly isTty: boolean
  readonly label: string
  /** Bytes to go through, where known. */
  readonly total?: number
  /** The clock, in milliseconds. */
  readonly now: () => number
}

/** One line that tells how far something has come. */
export interface Progress {
  /** Tells how many bytes are done in all; draws when it is time to. */
  update(doneBytes: number): void
  /** Takes the line away. What is told afterwards draws nothing. */
  finish(): void
}

/** A line of progress for what takes longer than half a second; silent where nobody looks on. */
export function createProgress(stream: ProgressStream, options: ProgressOptions): Progress {
  const { isTty, now } = options
  const startedAt = now()
  let nextAt = startedAt + QUIET_MS
  let isDrawn = false
  let isOver = !isTty
  return {
    update(doneBytes) {
      const time = now()
      if (isOver || time < nextAt) return
      nextAt = time + REDRAW_MS
      isDrawn = true
      // One column stays free: a full row makes some terminals wrap.
      const line = truncate(progressLine(options, doneBytes, time - startedAt), (stream.columns ?? 80) - 1)
      stream.write(CLEAR + line)
    },
    finish() {
      isOver = true
      if (isDrawn) stream.write(CLEAR)
      isDrawn = false
    },
  }
}

const QUIET_MS = 500
const REDRAW_MS = 100
const CLEAR = '\r\u001b[K'

/** `Reading · 120 MB of 1.2 GB · 60 MB/s · 18 s left` */
function progressLine({ label, total }: ProgressOptions, done: number, elapsedMs: number): string {
  const perMs = done / elapsedMs
  const left = total !== undefined && perMs > 0 ? Math.max(0, total - done) / perMs : 0
  return [
    oneLine(label),
    total === undefined ? bytes(done) : `${bytes(done)} of ${bytes(total)}`,
    perMs > 0 && `${bytes(perMs * 1000)}/s`,
    left >= 1000 && `${duration(left)} left`,
  ]
    .filter(Boolean)
    .join(' · ')
}
