import { Failure } from '../core/failure.ts'
import { type Static, Type } from '../core/schema.ts'
import { countedRedactor } from '../export/counted.ts'
import type { Exporter, ExportJob } from '../export/exporter.ts'
import { chosenSessions, isNarrowed } from '../export/sessions.ts'
import { folderOf, targetOf } from '../export/target.ts'
import { mayHoldSecrets } from '../export/with-secrets.ts'
import { writeSessions } from '../export/write.ts'
import type { Context } from '../history/context.ts'
import { NullableString, scopeInput, timeInput } from '../history/shapes.ts'
import { defineOp } from './op.ts'

/** The writers. Each is loaded when it is asked for: a start needs none of them. */
const WRITERS: Readonly<Record<Format, () => Promise<Exporter>>> = {
  md: async () => (await import('../export/markdown.ts')).markdown,
  html: async () => (await import('../export/html.ts')).html,
  json: async () => (await import('../export/json.ts')).json,
  jsonl: async () => (await import('../export/jsonl.ts')).jsonl,
  csv: async () => (await import('../export/csv.ts')).csv,
  parquet: async () => (await import('../export/parquet.ts')).parquet,
  xml: async () => (await import('../export/xml.ts')).xml,
  steps: async () => (await import('../export/steps.ts')).steps,
  bundle: async () => (await import('../export/bundle.ts')).bundle,
}

const FormatShape = Type.Union(
  [
    Type.Literal('md'),
    Type.Literal('html'),
    Type.Literal('json'),
    Type.Literal('jsonl'),
    Type.Literal('csv'),
    Type.Literal('parquet'),
    Type.Literal('xml'),
    Type.Literal('steps'),
    Type.Literal('bundle'),
  ],
  { description: 'md, html, json, jsonl, csv, parquet, xml (for a model), steps or bundle; else as --out ends' },
)

type Format = Static<typeof FormatShape>

const FORMATS = Object.keys(WRITERS) as readonly Format[]

const ExportInput = Type.Object({
  sessions: Type.Optional(
    Type.Array(Type.String(), {
      description: 'These sessions; of agent-<id> its own conversation, in a bundle its whole session',
    }),
  ),
  all: Type.Optional(Type.Boolean({ description: 'All sessions, or all that the filters leave' })),
  to: Type.Optional(FormatShape),
  out: Type.Optional(
    Type.String({ description: 'A file, a folder (also with / at its end), or - for standard output' }),
  ),
  ...scopeInput,
  ...timeInput,
  force: Type.Optional(Type.Boolean({ description: 'Replace what is there' })),
  'no-redact': Type.Optional(Type.Boolean({ description: 'Leave secrets in' })),
  agents: Type.Optional(
    Type.Union([Type.Literal('inline'), Type.Literal('linked'), Type.Literal('none')], {
      description: 'Agents where they were called (inline), in files beside it (linked), or none',
    }),
  ),
  thinking: Type.Optional(Type.Boolean({ description: 'Also what the model thought' })),
  budget: Type.Optional(Type.Integer({ minimum: 1, description: 'With xml: how many tokens it may have' })),
  'no-escape': Type.Optional(Type.Boolean({ description: 'With csv: cells as they are, for programs' })),
})

type ExportInput = Static<typeof ExportInput>

export const exporting = defineOp({
  name: 'export',
  changes: true,
  summary: 'Write sessions down to keep, read or hand on, without their secrets.',
  examples: [
    'annals export last --to md',
    'annals export 3f9a --to html --out race.html',
    'annals export --all --here --to html --out history/',
    'annals export --all --since 30d --to parquet --out tables/',
    'annals export last --to jsonl --out - | jq .type',
  ],
  input: ExportInput,
  positional: ['sessions'],
  result: Type.Object({
    to: FormatShape,
    out: Type.String({ description: 'The file or folder, or -' }),
    files: Type.Array(Type.Object({ file: Type.String(), bytes: Type.Integer(), session: NullableString })),
    sessions: Type.Integer({ description: 'Sessions that were written' }),
    total: Type.Integer({ description: 'Sessions that were meant' }),
    bytes: Type.Integer(),
    redacted: Type.Boolean(),
    redactions: Type.Record(Type.Integer(), { description: 'How often each kind of secret was masked' }),
    problems: Type.Array(Type.Object({ file: Type.String(), message: Type.String() })),
  }),
  async run(context, input) {
    mayBeAsked(context, input)
    const to = formatOf(input)
    const sessions = await chosenSessions(context, input)
    const redacted = input['no-redact'] !== true
    const what = sessions.length === 1 ? 'this session' : `these ${sessions.length} sessions`
    if (!redacted) await mayHoldSecrets(context, what, 'export')
    const writer = await WRITERS[to]()
    const target = targetOf(context, { ...input, to }, writer, sessions.length)
    const redactor = redacted ? countedRedactor((await import('../redact/open.ts')).openRedactor(context)) : undefined
    const job: ExportJob = {
      context,
      redactor,
      options: {
        agents: input.agents ?? 'inline',
        thinking: input.thinking ?? false,
        budget: input.budget,
        escape: input['no-escape'] !== true,
      },
      folder: folderOf(target),
    }
    const made = await writeSessions(writer, sessions, job, target, {
      force: input.force === true,
      dataDir: context.dataDir,
    })
    return {
      to,
      ...made,
      total: sessions.length,
      bytes: made.files.reduce((sum, { bytes }) => sum + bytes, 0),
      redacted,
      redactions: redactor?.counts() ?? {},
    }
  },
})

/** The format that was named, or that the name of the file tells. */
function formatOf({ to, out }: ExportInput): Format {
  const named = to ?? /\.(\w+)$/.exec(out ?? '')?.[1]?.toLowerCase()
  const found = FORMATS.find((format) => format === named)
  if (found) return found
  throw new Failure('USAGE', 'Which format?', { hint: `Add --to with one of ${FORMATS.join(', ')}.` })
}

/** What a page may ask for is less than what a person at the terminal may. */
function mayBeAsked({ rootsOnly }: Context, input: ExportInput): void {
  if (rootsOnly && (input.out !== undefined || input.force)) {
    const hint = 'Leave out `out` and `force`: the export gets a new name in the folder that annals runs in.'
    throw new Failure('CANNOT_RUN', 'Where an export goes is chosen only from the command line.', { hint })
  }
  if (!input.sessions?.length && !input.all && !isNarrowed(input)) {
    throw new Failure('USAGE', 'Which sessions?', { hint: 'Name some, such as `last`, or add --all.' })
  }
}
