import { Type } from '../core/schema.ts'
import type { Command } from './op.ts'

/** The web app. It stays, and runs operations for others: so it is a command, and no operation itself. */
export const serve = {
  name: 'serve',
  group: 'Share',
  teamStore: 'read',
  summary: 'Open the web app, on this machine only.',
  examples: ['annals serve', 'annals serve last', 'annals serve --demo', 'annals serve --no-open --port 8080'],
  input: Type.Object({
    session: Type.Optional(Type.String('Open this session first')),
    port: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65_535, description: 'The port (default: 6174, or any free one)' }),
    ),
    'no-open': Type.Optional(Type.Boolean('Do not open a browser')),
    'new-token': Type.Optional(Type.Boolean('Sign out all browsers; otherwise they stay signed in for 30 days')),
    demo: Type.Optional(Type.Boolean('Show a made-up history instead of yours')),
    host: Type.Optional(Type.String('Listen on this address; others on the network can then read everything')),
  }),
  positional: ['session'],
  result: Type.Object({
    url: Type.String('Opens the app in one browser, once'),
    token: Type.String('For programs: Authorization: Bearer …'),
    pid: Type.Integer(),
    demo: Type.Boolean('Whether the history is made up'),
  }),
} as const satisfies Command
