import { type Static, Type } from '../../core/schema.ts'
import { NullableString, nullable } from '../../history/shapes.ts'
import type { CollectSetup } from './setup.ts'

/** What can be asked of the collector. */
export const CollectInput = Type.Object({
  action: Type.Optional(
    Type.Choice(
      ['run', 'status', 'sent', 'install'],
      'run (default), status (what is behind), sent (what has left), install (run it always)',
    ),
  ),
  to: Type.Optional(
    Type.String(
      'folder:DIR, s3://BUCKET, postgres://HOST/DATABASE, clickhouse://HOST/DATABASE, https://HOST or otlp://HOST',
    ),
  ),
  once: Type.Optional(Type.Boolean('Deliver what is there and end; the default')),
  follow: Type.Optional(Type.Boolean({ description: 'Stay, and deliver what is written', alias: 'f' })),
  content: Type.Optional(
    Type.Choice(['none', 'prompts', 'all'], 'How much leaves: facts only, also prompts, or everything'),
  ),
  user: Type.Optional(Type.Choice(['real', 'hashed', 'none'], 'How your name leaves')),
  paths: Type.Optional(Type.Choice(['real', 'hashed', 'none'], 'How paths of projects and files leave')),
  'tool-results': Type.Optional(Type.Boolean('Also outputs too large for a log')),
  checkpoints: Type.Optional(Type.Boolean('Also files as they were before an edit')),
  'tool-names': Type.Optional(
    Type.Boolean('none and prompts: also names of tools that are not the client’s own (MCP)'),
  ),
  'agent-types': Type.Optional(Type.Boolean('none and prompts: also kinds of agents that are not the client’s own')),
  lengths: Type.Optional(Type.Boolean('none and prompts: also how many bytes each record has')),
  format: Type.Optional(
    Type.Choice(['jsonl', 'parquet'], 'folder and s3: packed lines (default of a folder) or columns'),
  ),
  'dry-run': Type.Optional(Type.Boolean('Send nothing; show byte for byte what would leave')),
  limit: Type.Optional(Type.Integer({ minimum: 0, description: 'dry-run and sent: how many records to show' })),
  thorough: Type.Optional(Type.Boolean('Compare every byte, whatever sizes and times say')),
  print: Type.Optional(Type.Boolean('install: only show what would be written')),
  remove: Type.Optional(Type.Boolean('install: no longer run it always')),
})

export type CollectAsked = Static<typeof CollectInput>

/** What it answers, whatever was asked. */
export const CollectResult = Type.Object({
  action: Type.String(),
  destination: Type.String('Without its password'),
  choices: Type.Object({ content: Type.String(), user: Type.String(), paths: Type.String() }),
  effective: Type.Array(
    Type.Object({
      name: Type.String('content, user, paths, toolResults, checkpoints, toolNames, agentTypes or lengths'),
      value: Type.String(),
      from: Type.String('default, a flag, or the settings file that says so'),
      limited: nullable(Type.String('What was chosen where a managed file allows less, and by what')),
    }),
    'status: what leaves as it is chosen now, and where each part comes from',
  ),
  records: Type.Integer('Delivered now; what the sink had already counts too'),
  bytes: Type.Integer('Bytes of content that left'),
  batches: Type.Integer(),
  deadLetters: Type.Integer('Records that were not taken; they are kept here, with the reason'),
  lagBytes: Type.Integer('Bytes of logs that are not delivered yet'),
  busy: Type.Boolean('Another annals collects on this machine; nothing was done'),
  message: NullableString,
  lag: Type.Array(Type.Object({ file: Type.String(), sizeBytes: Type.Integer(), sentBytes: Type.Integer() })),
  lagByClass: Type.Array(
    Type.Object({
      class: Type.String('transcripts, agents, history, documents: in the order in which they are sent'),
      files: Type.Integer(),
      bytes: Type.Integer(),
      newest: NullableString,
    }),
  ),
  preview: Type.Array(Type.String('A record, document, mark or delivery as it would leave, or a record that has')),
  sent: Type.Array(
    Type.Object({
      day: NullableString,
      project: NullableString,
      kind: Type.String(),
      records: Type.Integer(),
      bytes: Type.Integer(),
    }),
  ),
  vanished: Type.Integer('sent: logs that are gone, of which something had left'),
  unit: nullable(
    Type.Object({
      files: Type.Array(Type.Object({ path: Type.String(), text: Type.String() })),
      run: Type.String('What to run to start or stop it now'),
      written: Type.Boolean(),
    }),
  ),
})

export type Collection = Static<typeof CollectResult>

/** What every answer says, and nothing done. */
export function nothingDone({ destination, choices }: CollectSetup, action: string): Collection {
  const { content, user, paths } = choices
  return {
    action,
    destination: destination.name,
    choices: { content, user, paths },
    effective: [],
    records: 0,
    bytes: 0,
    batches: 0,
    deadLetters: 0,
    lagBytes: 0,
    busy: false,
    message: null,
    lag: [],
    lagByClass: [],
    preview: [],
    sent: [],
    vanished: 0,
    unit: null,
  }
}
