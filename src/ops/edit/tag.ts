import { Failure } from '../../core/failure.ts'
import { Type } from '../../core/schema.ts'
import { tagSession } from '../../history/edits/edit-session.ts'
import { EditResult, howInput } from '../../history/edits/result.ts'
import { defineOp } from '../op.ts'

export const tag = defineOp({
  name: 'tag',
  alsoIn: 'Keep',
  changes: true,
  summary: 'Tag a session, in Claude Code too.',
  examples: ['annals tag last auth', 'annals tag 3f9a --clear', 'annals sessions --tag auth'],
  input: Type.Object({
    session: Type.String('An id or the start of one, last, current, a title or a log file'),
    tag: Type.Optional(Type.String('The tag; a session has at most one')),
    clear: Type.Optional(Type.Boolean('Remove the tag')),
    ...howInput,
  }),
  positional: ['session', 'tag'],
  result: EditResult,
  async run(context, { session, tag: wanted, clear, 'dry-run': dryRun, yes, force }) {
    if ((wanted === undefined) !== (clear === true)) {
      throw new Failure('USAGE', 'Which tag?', { hint: 'Name one, or take it away with --clear.' })
    }
    return await tagSession(context, session, wanted ?? null, { dryRun, yes, force })
  },
})
