import { Failure } from '../../core/failure.ts'
import { Type } from '../../core/schema.ts'
import { tagSession } from '../../history/edits/edit-session.ts'
import { EditResult, howInput } from '../../history/edits/result.ts'
import { defineOp } from '../op.ts'

export const tag = defineOp({
  name: 'tag',
  changes: true,
  summary: 'Give a session a tag, in Claude Code too.',
  examples: ['annals tag last auth', 'annals tag 3f9a --clear', 'annals sessions --tag auth'],
  input: Type.Object({
    session: Type.String('An id or its start, last, current, a slug, a title or a path'),
    tag: Type.Optional(Type.String('Its tag; it takes the place of the one before')),
    clear: Type.Optional(Type.Boolean('Take it away')),
    ...howInput,
  }),
  positional: ['session', 'tag'],
  result: EditResult,
  run: (context, { session, tag: name, clear, 'dry-run': dryRun, yes, force }) => {
    if ((name === undefined) === (clear !== true)) {
      throw new Failure('USAGE', 'annals tag takes a session and a tag, or --clear.')
    }
    return tagSession(context, session, name ?? null, { dryRun, yes, force })
  },
})
