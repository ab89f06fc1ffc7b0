import { Type } from '../core/schema.ts'
import { SecretScanShape } from '../history/secret-scan.ts'
import { scopeInput, timeInput } from '../history/shapes.ts'
import { defineOp } from './op.ts'

export const redact = defineOp({
  name: 'redact',
  alsoIn: 'Share',
  effort: 'long',
  summary: 'Find secrets, without showing them; exits 1 if there are any.',
  examples: ['annals redact scan', 'annals redact scan last', 'annals redact scan --here --since 7d --json'],
  input: Type.Object({
    action: Type.Choice(['scan'], 'What to do: scan'),
    sessions: Type.Optional(Type.Array(Type.String(), 'Only these sessions, or the log of agent-<id> (default: all)')),
    ...scopeInput,
    ...timeInput,
  }),
  positional: ['action', 'sessions'],
  result: SecretScanShape,
  isTrouble: ({ items }) => items.length > 0,
  async run(context, input) {
    // The rules are large, and only this needs them.
    const { scanForSecrets } = await import('../history/secrets.ts')
    return scanForSecrets(context, input)
  },
})
