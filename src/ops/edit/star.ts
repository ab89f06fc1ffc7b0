import { Type } from '../../core/schema.ts'
import { starSession } from '../../history/edits/mark-session.ts'
import { NullableString } from '../../history/shapes.ts'
import { defineOp } from '../op.ts'

export const star = defineOp({
  name: 'star',
  changes: true,
  summary: 'Give a session a star; `sessions --starred` lists them.',
  examples: ['annals star last', 'annals star 3f9a --remove', 'annals sessions --starred'],
  input: Type.Object({
    session: Type.String('An id or its start, last, current, a slug, a title or a path'),
    remove: Type.Optional(Type.Boolean('Remove the star')),
  }),
  positional: ['session'],
  result: Type.Object({ session: Type.String(), starred: Type.Boolean(), note: NullableString }),
  run: (context, { session, remove }) => ({ ...starSession(context, session, remove !== true) }),
})
