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
    session: Type.Optional(Type.String('A session to begin with')),
    port: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65_535, description: 'The port; else 6174, or any that is free' }),
    ),
    'no-open': Type.Optional(Type.Boolean('Do not open the browser')),
    'new-token': Type.Optional(Type.Boolean('Sign out every browser that is signed in; else they stay so for 30 days')),
    demo: Type.Optional(Type.Boolean('Show a made-up history instead of yours')),
    host: Type.Optional(
      Type.String('Listen on this address instead of this machine alone; others can then read along'),
    ),
  }),
  positional: ['session'],
  result: Type.Object({
    url: Type.String('Opens the app in one browser, once'),
    token: Type.String('For programs: Authorization: Bearer …'),
    pid: Type.Integer(),
    demo: Type.Boolean('Whether the history is made up'),
  }),
} as const satisfies Command
