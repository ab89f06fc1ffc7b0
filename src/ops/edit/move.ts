import { Failure } from '../../core/failure.ts'
import { Type } from '../../core/schema.ts'
import { moveSession } from '../../history/edits/edit-session.ts'
import { moveProject } from '../../history/edits/move-project.ts'
import { EditResult, howInput } from '../../history/edits/result.ts'
import { defineOp } from '../op.ts'

export const move = defineOp({
  name: 'move',
  alsoIn: 'Keep',
  changes: true,
  commandLineOnly: true,
  summary: 'Move a session, or all sessions of a renamed folder.',
  examples: [
    'annals move 3f9a --to ~/code/api',
    'annals move --project ~/code/old --to ~/code/new --dry-run',
    'annals move --project ~/code/old --to ~/code/new --settings',
  ],
  input: Type.Object({
    session: Type.Optional(Type.String('An id or the start of one, last, current, a title or a log file')),
    to: Type.String('The working folder to move it to'),
    project: Type.Optional(Type.String('All sessions of this folder, with its memory and prompts')),
    settings: Type.Optional(Type.Boolean("With --project: also the folder's entry in .claude.json")),
    ...howInput,
  }),
  positional: ['session'],
  result: EditResult,
  run: async (context, { session, to, project, settings, 'dry-run': dryRun, yes, force }) => {
    const how = { dryRun, yes, force }
    if (project !== undefined && session === undefined)
      return await moveProject(context, project, to, { ...how, settings })
    if (project === undefined && session !== undefined) return moveSession(context, session, to, how)
    throw new Failure('USAGE', 'annals move takes a session, or --project and no session.')
  },
})
