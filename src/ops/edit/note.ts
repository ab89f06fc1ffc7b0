import { Failure } from '../../core/failure.ts'
import { Type } from '../../core/schema.ts'
import { noteSession } from '../../history/edits/mark-session.ts'
import { NullableString } from '../../history/shapes.ts'
import { defineOp } from '../op.ts'

export const note = defineOp({
  name: 'note',
  alsoIn: 'Keep',
  changes: true,
  summary: 'Write a note on a session, for yourself.',
  examples: ['annals note last "The one with the mutex"', 'annals note 3f9a "ask Ben"', 'annals note 3f9a --clear'],
  input: Type.Object({
    session: Type.String('An id or the start of one, last, current, a title or a log file'),
    text: Type.Optional(Type.String('The note; it replaces an earlier one')),
    clear: Type.Optional(Type.Boolean('Remove the note')),
  }),
  positional: ['session', 'text'],
  result: Type.Object({ session: Type.String(), starred: Type.Boolean(), note: NullableString }),
  run: async (context, { session, text, clear }) => {
    if ((text === undefined) === (clear !== true)) {
      throw new Failure('USAGE', 'annals note takes a session and what to note, or --clear.')
    }
    return { ...(await noteSession(context, session, text ?? null)) }
  },
})
