import { Failure } from '../../core/failure.ts'
import { Type } from '../../core/schema.ts'
import { noteSession } from '../../history/edits/mark-session.ts'
import { NullableString } from '../../history/shapes.ts'
import { defineOp } from '../op.ts'

export const note = defineOp({
  name: 'note',
  changes: true,
  summary: 'Note something about a session, for yourself.',
  examples: ['annals note last "The one with the mutex"', 'annals note 3f9a "ask Ben"', 'annals note 3f9a --clear'],
  input: Type.Object({
    session: Type.String('An id or its start, last, current, a slug, a title or a path'),
    text: Type.Optional(Type.String('The note; replaces the one before')),
    clear: Type.Optional(Type.Boolean('Remove the note')),
  }),
  positional: ['session', 'text'],
  result: Type.Object({ session: Type.String(), starred: Type.Boolean(), note: NullableString }),
  run: (context, { session, text, clear }) => {
    if ((text === undefined) === (clear !== true)) {
      throw new Failure('USAGE', 'annals note takes a session and what to note, or --clear.')
    }
    return { ...noteSession(context, session, text ?? null) }
  },
})
