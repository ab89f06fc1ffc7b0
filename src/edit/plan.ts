import type { Step } from './step.ts'

/** What can be done to sessions. */
export type EditName = 'rename' | 'tag' | 'move' | 'fork' | 'rewind' | 'prune' | 'delete' | 'restore-file' | 'undo'

/** An edit before anything is done: which files change, and what to expect of it. */
export interface Plan {
  readonly name: EditName
  /** What it does, in one line. */
  readonly summary: string
  /** The sessions that must neither run nor grow meanwhile. */
  readonly sessions: readonly EditedSession[]
  readonly steps: readonly Step[]
  /** What the client shows of it, and what it does not, in sentences. */
  readonly expect: readonly string[]
  /** What does not change, and why. */
  readonly left: readonly string[]
  /** `forward` finishes what was begun and keeps no copy: for secrets, which must not lie in a backup. */
  readonly direction?: 'forward'
  /** The edit that this one takes back. */
  readonly undoes?: string
}

/** A session that an edit is about. */
export interface EditedSession {
  readonly id: string
  readonly root: string
  /** Its log. */
  readonly log: string
}
