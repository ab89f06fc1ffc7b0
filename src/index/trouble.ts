import { Failure } from '../core/failure.ts'
import { numberAt } from '../core/json.ts'

/** What kind of trouble an error of SQLite is, by its words: the two drivers share no codes. */
export type Trouble = 'busy' | 'damaged' | 'read-only' | 'full' | 'other'

export function troubleOf(error: unknown): Trouble {
  const message = error instanceof Error ? error.message : ''
  if (/locked|busy/i.test(message)) return 'busy'
  if (/not a database|malformed|corrupt/i.test(message) || has(error, SHORT_READ)) return 'damaged'
  if (/readonly|read-only|unable to open database/i.test(message)) return 'read-only'
  return /disk is full/i.test(message) || has(error, SHM_SIZE) ? 'full' : 'other'
}

/** A file that ends before its pages do: SQLite calls that an I/O error, and gives its own number to it. */
const SHORT_READ = 522
/** The memory that several processes share could not be made as large as it has to be. */
const SHM_SIZE = 4874

function has(error: unknown, code: number): boolean {
  return ['sqliteExtendedCode', 'errcode'].some((key) => numberAt(error, key) === code)
}

/** How long others are waited for. */
const PATIENCE_MS = 10_000

/**
 * Runs something that may find the index busy, again and again for a while. SQLite waits by itself, but not for the moment
 * in which the last other process closes the index.
 */
export function patiently<T>(action: () => T): T {
  const start = performance.now()
  for (let pause = 2; ; pause = Math.min(50, 2 * pause)) {
    try {
      return action()
    } catch (error) {
      if (troubleOf(error) !== 'busy' || performance.now() - start > PATIENCE_MS) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
    }
  }
}

/** An error of the database as a sentence; any other error is a bug and stays one. */
export function asFailure(error: unknown, path: string | undefined): unknown {
  const isDatabase = error instanceof Error && 'code' in error && /SQLITE/.test(String(error.code))
  if (!isDatabase) return error
  const where = path ?? 'memory'
  const hint =
    'Nothing is lost: the logs are untouched, and the index goes on where it stopped. --no-index does without it.'
  const said = {
    busy: `Another annals has held the index at ${where} for too long.`,
    damaged: `The index at ${where} is damaged.`,
    'read-only': `The index at ${where} cannot be written.`,
    full: `There is no room left for the index at ${where}.`,
    other: `The index at ${where} could not be written or read (${error.message}).`,
  }[troubleOf(error)]
  return new Failure('CANNOT_WRITE', said, { hint, cause: error })
}
