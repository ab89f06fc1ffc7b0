import { Failure } from '../../core/failure.ts'
import { type Static, Type } from '../../core/schema.ts'
import type { SessionFamily } from '../../edit/session-files.ts'
import type { Context } from '../../history/context.ts'
import { bulkSessions, bytesOf, isBulk } from '../../history/edits/bulk.ts'
import { moveSession, renameSession, rewindSession, tagSession } from '../../history/edits/edit-session.ts'
import { editableSession } from '../../history/edits/editable.ts'
import { forkSession } from '../../history/edits/fork-session.ts'
import { moveProject } from '../../history/edits/move-project.ts'
import { restoreFile } from '../../history/edits/restore-file.ts'
import { EditResult, howInput } from '../../history/edits/result.ts'
import { readyForEdits } from '../../history/edits/run-edit.ts'
import { defineOp } from '../op.ts'

const ACTIONS = ['rename', 'tag', 'move', 'fork', 'rewind', 'prune', 'delete', 'restore-file'] as const

const EditInput = Type.Object({
  action: Type.Choice(ACTIONS, 'rename, tag, move, fork, rewind, prune, delete or restore-file'),
  what: Type.Optional(
    Type.Array(
      Type.String(),
      'The session, and for rename its title, for tag the tag; for fork and rewind a point (SESSION:TURN, SESSION:UUID or FILE:LINE); for restore-file the file',
    ),
  ),
  to: Type.Optional(Type.String('move: the working folder to move it to')),
  project: Type.Optional(
    Type.String('move: all sessions of this renamed folder; delete, prune: those of this project'),
  ),
  settings: Type.Optional(Type.Boolean("move --project: also the folder's entry in .claude.json")),
  title: Type.Optional(Type.String('fork: what the new session is called')),
  clear: Type.Optional(Type.Boolean('tag: remove the tag')),
  over: Type.Optional(Type.String('prune: tool results over this size (default 10k)')),
  secret: Type.Optional(Type.Boolean('prune: mask all secrets that `redact scan` finds, for good: there is no undo')),
  at: Type.Optional(Type.String('restore-file: the point to go back to: a turn, a uuid or SESSION:TURN')),
  session: Type.Optional(Type.String('restore-file: the session (default: the newest that touched the file)')),
  'older-than': Type.Optional(Type.String('delete, prune: sessions whose last row is older, such as 90d')),
  'larger-than': Type.Optional(Type.String('delete, prune: sessions larger than this, such as 50M')),
  ...howInput,
})

type Input = Static<typeof EditInput>

export const edit = defineOp({
  name: 'edit',
  group: 'Look after',
  changes: true,
  commandLineOnly: true,
  effort: 'long',
  summary: 'Rename, move, fork, rewind, prune or delete sessions.',
  examples: [
    'annals edit rename last "Fix token refresh"',
    'annals edit tag 3f9a auth',
    'annals edit move 3f9a --to ~/code/api',
    'annals edit fork 3f9a:4 --title "Another way"',
    'annals edit rewind 3f9a:2',
    'annals edit prune 3f9a --over 20k',
    'annals edit prune 3f9a --secret',
    'annals edit delete --older-than 90d --larger-than 50M --dry-run',
    'annals edit restore-file src/auth.ts --at 3f9a:3',
  ],
  input: EditInput,
  positional: ['action', 'what'],
  result: EditResult,
  isTrouble: ({ plan }) => plan.length === 0,
  run: (context, input) => ACTS[input.action](context, input),
})

type Act = (context: Context, input: Input) => Promise<EditResult>

const ACTS: Readonly<Record<(typeof ACTIONS)[number], Act>> = {
  rename: async (context, input) => {
    const [session, title] = words(input, 'a session and its title', 2)
    return renameSession(context, session as string, title as string, howOf(input))
  },
  tag: async (context, input) => {
    const [session, tag] = words(input, input.clear ? 'a session' : 'a session and a tag', input.clear ? 1 : 2)
    return tagSession(context, session as string, tag ?? null, howOf(input))
  },
  move: async (context, input) => {
    if (input.to === undefined) throw usage('move', 'the folder to move to: --to FOLDER')
    if (input.project !== undefined) {
      words(input, 'no session beside --project', 0)
      return moveProject(context, input.project, input.to, { ...howOf(input), settings: input.settings })
    }
    const [session] = words(input, 'a session, or --project', 1)
    return moveSession(context, session as string, input.to, howOf(input))
  },
  fork: async (context, input) => {
    const [point] = words(input, 'a point such as SESSION:4', 1)
    return forkSession(context, point as string, { ...howOf(input), title: input.title })
  },
  rewind: async (context, input) => {
    const [point] = words(input, 'a point such as SESSION:4', 1)
    return rewindSession(context, point as string, howOf(input))
  },
  prune: async (context, input) => {
    const { maskSecrets, pruneSessions } = await import('../../history/edits/prune-sessions.ts')
    const how = howOf(input)
    if (input.secret) {
      const [session] = words(input, 'one session with --secret', 1)
      return maskSecrets(context, session as string, how)
    }
    const overBytes = input.over === undefined ? undefined : bytesOf(input.over)
    return pruneSessions(context, await chosen(context, input), { ...how, overBytes })
  },
  delete: async (context, input) => {
    const { deleteSessions } = await import('../../history/edits/prune-sessions.ts')
    return deleteSessions(context, await chosen(context, input), howOf(input))
  },
  'restore-file': (context, input) => {
    const [path] = words(input, 'a file', 1)
    if (input.at === undefined) throw usage('restore-file', 'the point at which the file is wanted: --at SESSION:TURN')
    return restoreFile(context, path as string, { ...howOf(input), at: input.at, session: input.session })
  },
}

/** The sessions that are named, or those that fit. */
async function chosen(context: Context, input: Input): Promise<readonly SessionFamily[]> {
  readyForEdits(context, howOf(input))
  const bulk = { olderThan: input['older-than'], largerThan: input['larger-than'], project: input.project }
  if (!isBulk(bulk))
    return Promise.all(
      words(input, 'a session, or --older-than, --larger-than or --project').map((name) =>
        editableSession(context, name),
      ),
    )
  words(input, 'no session beside --older-than, --larger-than and --project', 0)
  return bulkSessions(context, bulk)
}

/** What was named, as many as there must be: one or more where no number is given. */
function words({ action, what = [] }: Input, needed: string, count?: number): readonly string[] {
  if (count === undefined ? what.length > 0 : what.length === count) return what
  throw usage(action, needed)
}

function usage(action: string, needed: string): Failure {
  return new Failure('USAGE', `annals edit ${action} takes ${needed}.`, { hint: 'annals edit --help has examples.' })
}

function howOf(input: Input) {
  return { dryRun: input['dry-run'], yes: input.yes, force: input.force }
}
