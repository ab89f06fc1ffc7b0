import { Type } from '../core/schema.ts'
import { NullableString, placeFields, scopeInput, timeInput } from '../history/shapes.ts'
import { defineOp } from './op.ts'

export const redact = defineOp({
  name: 'redact',
  effort: 'long',
  summary: 'Find secrets in the history, without showing them; exits 1 if there are any.',
  examples: ['annals redact scan', 'annals redact scan last', 'annals redact scan --here --since 7d --json'],
  input: Type.Object({
    action: Type.Choice(['scan'], 'What to do: scan'),
    sessions: Type.Optional(Type.Array(Type.String(), 'Only these sessions, or of agent-<id> its log alone; else all')),
    ...scopeInput,
    ...timeInput,
  }),
  positional: ['action', 'sessions'],
  result: Type.Object({
    rules: Type.String('Which rules looked: differs wherever another result is possible'),
    sessions: Type.Integer('Sessions looked at'),
    files: Type.Integer(),
    bytesRaw: Type.Integer(),
    bytesStored: Type.Null(),
    kinds: Type.Record(Type.Integer(), 'How often each kind was found'),
    items: Type.Array(
      Type.Object({
        kind: Type.String(),
        placeholder: Type.String('Stands for the secret: the same one has the same, on this machine'),
        session: NullableString,
        agent: NullableString,
        timestamp: NullableString,
        where: Type.String('The way to the text inside the record; empty where it is no record'),
        ...placeFields,
      }),
    ),
    problems: Type.Array(Type.Object({ file: Type.String(), message: Type.String() })),
  }),
  isTrouble: ({ items }) => items.length > 0,
  async run(context, input) {
    // The rules are large, and only this needs them.
    const { scanForSecrets } = await import('../history/secrets.ts')
    return scanForSecrets(context, input)
  },
})
