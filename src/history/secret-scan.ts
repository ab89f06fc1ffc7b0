import { Type } from '../core/schema.ts'
import { NullableString, placeFields } from './shapes.ts'

/** A secret and its place, without itself. */
const SecretShape = Type.Object({
  kind: Type.String(),
  placeholder: Type.String('Stands for the secret: the same one has the same, on this machine'),
  session: NullableString,
  agent: NullableString,
  timestamp: NullableString,
  where: Type.String('The path to the text inside the record; empty where it is not a record'),
  ...placeFields,
})

/** What a look for secrets found. Apart from the rules, which are large and which only that needs. */
export const SecretScanShape = Type.Object({
  rules: Type.String('Which rules looked: differs wherever another result is possible'),
  sessions: Type.Integer('Sessions looked at'),
  files: Type.Integer(),
  bytesRaw: Type.Integer(),
  bytesStored: Type.Null(),
  kinds: Type.Record(Type.Integer(), 'How often each kind was found'),
  items: Type.Array(SecretShape),
  problems: Type.Array(Type.Object({ file: Type.String(), message: Type.String() })),
})
