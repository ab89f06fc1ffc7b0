import { Type } from '../../core/schema.ts'
import { renameSession } from '../../history/edits/edit-session.ts'
import { EditResult, howInput } from '../../history/edits/result.ts'
import { defineOp } from '../op.ts'

export const rename = defineOp({
  name: 'rename',
  alsoIn: 'Keep',
  changes: true,
  summary: 'Rename a session, in Claude Code too.',
  examples: [
    'annals rename last "Fix token refresh"',
    'annals rename 3f9a "Login tests"',
    'annals rename 3f9a "Login tests" --dry-run',
  ],
  input: Type.Object({
    session: Type.String('An id or the start of one, last, current, a title or a log file'),
    title: Type.String('Its new title'),
    ...howInput,
  }),
  positional: ['session', 'title'],
  result: EditResult,
  run: async (context, { session, title, 'dry-run': dryRun, yes, force }) =>
    await renameSession(context, session, title, { dryRun, yes, force }),
})
