import { Failure } from '../../core/failure.ts'
import { Type } from '../../core/schema.ts'
import { tagSession } from '../../history/edits/edit-session.ts'
import { EditResult, howInput } from '../../history/edits/result.ts'
import { defineOp } from '../op.ts'

export const tag = defineOp({
  name: 'tag',
  changes: true,
  summary: 'Give a session a tag, in Claude Code too; `sessions --tag` lists them.',
  examples: ['annals tag last auth', 'annals tag 3f9a --clear', 'annals sessions --tag auth'],
  input: Type.Object({
    session: Type.String('An id or its start, last, current, a slug, a title or a path'),
    tag: Type.Optional(Type.String('The tag; a session has one at most')),
    clear: Type.Optional(Type.Boolean('Take it away')),
    ...howInput,
  }),
  positional: ['session', 'tag'],
  result: EditResult,
  run(context, { session, tag: wanted, clear, 'dry-run': dryRun, yes, force }) {
    if ((wanted === undefined) !== (clear === true)) {
      throw new Failure('USAGE', 'Which tag?', { hint: 'Name one, or take it away with --clear.' })
    }
    return tagSession(context, session, wanted ?? null, { dryRun, yes, force })
  },
})
