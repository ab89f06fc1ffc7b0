import { Type } from '../../core/schema.ts'
import { starSession } from '../../history/edits/mark-session.ts'
import { NullableString } from '../../history/shapes.ts'
import { defineOp } from '../op.ts'

export const star = defineOp({
  name: 'star',
  alsoIn: 'Keep',
  changes: true,
  summary: 'Star a session; `sessions --starred` lists them.',
  examples: ['annals star last', 'annals star 3f9a --remove', 'annals sessions --starred'],
  input: Type.Object({
    session: Type.String('An id or the start of one, last, current, a title or a log file'),
    remove: Type.Optional(Type.Boolean('Remove the star')),
  }),
  positional: ['session'],
  result: Type.Object({ session: Type.String(), starred: Type.Boolean(), note: NullableString }),
  run: async (context, { session, remove }) => ({ ...(await starSession(context, session, remove !== true)) }),
})
