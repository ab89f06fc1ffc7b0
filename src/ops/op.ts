import type { Static, TObject, TSchema } from 'typebox'
import type { Library } from '../disk/library.ts'
import type { Warning } from '../disk/warning.ts'

/** What an operation works with. Environment, clock and terminal are passed in, so that it never asks for them itself. */
export interface Context {
  readonly library: Library
  readonly now: Date
  /** The folder the person is in, and their home. */
  readonly cwd: string
  readonly home: string
  /** Where the person's own settings of annals lie. */
  readonly configDir?: string | undefined
  /** Where the index is kept; without it, it lives in memory. */
  readonly cacheDir?: string | undefined
  /** The session that a hook or the environment names, for `current`. */
  readonly currentSession: string | undefined
  readonly warn: (warning: Warning) => void
  /** Tells how far long work has come, in bytes. */
  readonly progress: (doneBytes: number, totalBytes: number) => void
}

/** Something annals can do, declared once: the command line makes flags of it, the server a route. */
export interface Op<I extends TObject = TObject, R extends TSchema = TSchema> {
  readonly name: string
  readonly summary: string
  /** Examples for the help, each a whole command line. */
  readonly examples: readonly string[]
  readonly input: I
  /** Input fields that are given as plain arguments, in order. */
  readonly positional: readonly string[]
  readonly result: R
  readonly run: (context: Context, input: Static<I>) => Static<R> | Promise<Static<R>>
  /** Stays and watches: what comes after the first result, one by one, until the signal. */
  readonly follow?: (context: Context, input: Static<I>, signal: AbortSignal) => AsyncIterable<Static<R>>
}

export function defineOp<I extends TObject, R extends TSchema>(op: Op<I, R>): Op<I, R> {
  return op
}
