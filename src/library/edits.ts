import type { Context } from '../history/context.ts'
import { moveSession, renameSession, rewindSession, tagSession } from '../history/edits/edit-session.ts'
import { editableSession } from '../history/edits/editable.ts'
import { forkSession } from '../history/edits/fork-session.ts'
import { noteSession, starSession } from '../history/edits/mark-session.ts'
import { deleteSessions, maskSecrets, pruneSessions } from '../history/edits/prune-sessions.ts'
import type { EditResult } from '../history/edits/result.ts'
import type { EditHow } from '../history/edits/run-edit.ts'

/** How an edit is asked for: only planned, or also while a client runs the session. */
export interface EditOptions {
  readonly dryRun?: boolean
  readonly force?: boolean
}

/** One change of one file, as it was planned. */
export interface PlannedStep {
  readonly file: string
  readonly action: string
  /** Bytes that are written, removed or moved. */
  readonly bytes: number
  /** Rows of a log that are added, removed or changed. */
  readonly rows: number | null
  /** Where a moved one goes. */
  readonly to: string | null
}

/** What an edit did, or would do. */
export interface Edit {
  /** What `history.undo` takes; `null` where nothing was done. */
  readonly id: string | null
  readonly summary: string
  readonly plan: readonly PlannedStep[]
  readonly applied: boolean
  readonly undoable: boolean
  /** The id of a new session. */
  readonly created: string | null
  /** What Claude Code will show, and what it will not. */
  readonly expect: readonly string[]
  /** What does not change, and why. */
  readonly left: readonly string[]
}

/** What can be done to a session. Each is planned, backed up and written down before a byte of Claude's files changes. */
export interface SessionEdits {
  rename(title: string, options?: EditOptions): Promise<Edit>
  /** One tag; `null` takes it away. */
  tag(tag: string | null, options?: EditOptions): Promise<Edit>
  /** To another working folder. */
  move(folder: string, options?: EditOptions): Promise<Edit>
  /** A new session from everything up to a turn's end, or right after a row. */
  fork(point: number | string, options?: EditOptions & { readonly title?: string }): Promise<Edit>
  /** Goes on from there; 0 is before the first prompt. */
  rewind(point: number | string, options?: EditOptions): Promise<Edit>
  /** Takes out tool results over `overBytes` (10,000) and pictures; with `secrets` masks secrets for good instead. */
  prune(options?: EditOptions & { readonly overBytes?: number; readonly secrets?: boolean }): Promise<Edit>
  /** Deletes all that Claude Code has of it. */
  delete(options?: EditOptions): Promise<Edit>
  /** A star of the person's own, of which Claude Code knows nothing. */
  star(starred?: boolean): Promise<void>
  /** A note of the person's own; `null` forgets it. */
  note(text: string | null): Promise<void>
}

/** The edits of the session that has an id. */
export function sessionEdits(context: Context, name: string): SessionEdits {
  const point = (at: number | string) => `${name}:${at}`
  const how = ({ dryRun, force }: EditOptions): EditHow => ({ dryRun, force, yes: true })
  return {
    rename: async (title, options = {}) => toEdit(await renameSession(context, name, title, how(options))),
    tag: async (tag, options = {}) => toEdit(await tagSession(context, name, tag, how(options))),
    move: async (folder, options = {}) => toEdit(await moveSession(context, name, folder, how(options))),
    fork: async (at, { title, ...options } = {}) =>
      toEdit(await forkSession(context, point(at), { ...how(options), title })),
    rewind: async (at, options = {}) => toEdit(await rewindSession(context, point(at), how(options))),
    prune: async ({ overBytes, secrets, ...options } = {}) => {
      if (secrets) return toEdit(await maskSecrets(context, name, how(options)))
      return toEdit(
        await pruneSessions(context, [await editableSession(context, name)], { ...how(options), overBytes }),
      )
    },
    delete: async (options = {}) =>
      toEdit(await deleteSessions(context, [await editableSession(context, name)], how(options))),
    star: async (starred = true) => {
      await starSession(context, name, starred)
    },
    note: async (text) => {
      await noteSession(context, name, text)
    },
  }
}

/** An edit as other programs see it. */
export function toEdit({ id, summary, plan, applied, undoable, created, expect, left }: EditResult): Edit {
  return { id, summary, plan, applied, undoable, created, expect, left }
}
