import { type Static, Type } from '../../core/schema.ts'
import { NullableString, nullable } from '../shapes.ts'

const PlannedShape = Type.Object({
  file: Type.String(),
  action: Type.String('append, cut, write, remove, move, make-folder or remove-folder'),
  bytes: Type.Integer('Bytes that are written, removed or moved'),
  rows: nullable(Type.Integer('Rows of a log that are added, removed or changed')),
  to: nullable(Type.String('Where a moved one goes')),
})

/** What an edit will do or did: the same for all of them. */
export const EditResult = Type.Object({
  id: nullable(Type.String('What `annals undo` takes; null where nothing was done')),
  edit: Type.String('rename, tag, move, fork, rewind, prune, delete, restore-file or undo'),
  summary: Type.String(),
  sessions: Type.Array(Type.String(), 'The ids of the sessions that it is about'),
  created: nullable(Type.String('The id of a new session')),
  plan: Type.Array(PlannedShape),
  applied: Type.Boolean('False with --dry-run'),
  undoable: Type.Boolean(),
  expect: Type.Array(Type.String(), 'What Claude Code will show, and what it will not'),
  left: Type.Array(Type.String(), 'What does not change, and why'),
})

export type EditResult = Static<typeof EditResult>

/** What every edit takes. */
export const howInput = {
  'dry-run': Type.Optional(Type.Boolean('Show what would be done, and do nothing')),
  yes: Type.Optional(Type.Boolean('Do not ask for confirmation')),
  force: Type.Optional(Type.Boolean('Edit even if Claude Code is running the session or has just written to it')),
}

/** A past edit in a list. */
export const PastEditShape = Type.Object({
  id: Type.String(),
  at: Type.String(),
  edit: Type.String(),
  summary: Type.String(),
  sessions: Type.Array(Type.String()),
  files: Type.Integer(),
  undoneBy: NullableString,
  undoes: NullableString,
  unfinished: Type.Boolean(
    'It was interrupted: `annals undo ID` takes it back, `annals undo ID --finish` completes it',
  ),
})
