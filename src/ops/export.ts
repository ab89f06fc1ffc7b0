import { Failure } from '../core/failure.ts'
import { type Static, Type } from '../core/schema.ts'
import { familyBytes } from '../disk/inventory.ts'
import { EXPORT_FORMATS, type ExportFormat, exportSessions } from '../export/export-sessions.ts'
import { chosenSessions, isNarrowed } from '../export/sessions.ts'
import { mayHoldSecrets } from '../export/with-secrets.ts'
import { estimateTokens } from '../export/xml/budget.ts'
import type { Context } from '../history/context.ts'
import type { FoundSession } from '../history/find.ts'
import { NullableString, nullable, scopeInput, timeInput } from '../history/shapes.ts'
import { defineOp } from './op.ts'

const FormatShape = Type.Choice(
  EXPORT_FORMATS,
  'md, html, json, jsonl, csv, parquet, xml (for a model), steps or bundle (default: by the ending of --out)',
)

const ExportInput = Type.Object({
  sessions: Type.Optional(
    Type.Array(Type.String(), 'The sessions; agent-<id> exports its own conversation, in a bundle its whole session'),
  ),
  all: Type.Optional(Type.Boolean('All sessions, or all that match the filters')),
  to: Type.Optional(FormatShape),
  out: Type.Optional(Type.String('A file, a folder (ending in /), or - for standard output')),
  ...scopeInput,
  ...timeInput,
  force: Type.Optional(Type.Boolean('Overwrite existing files')),
  'no-redact': Type.Optional(Type.Boolean('Leave secrets in')),
  agents: Type.Optional(
    Type.Choice(
      ['inline', 'linked', 'none'],
      'Agents where they were called (inline), in files of their own (linked), or none',
    ),
  ),
  thinking: Type.Optional(Type.Boolean("Also show the model's thinking")),
  budget: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'With xml: how many tokens it may have; texts are shortened to fit',
    }),
  ),
  inline: Type.Optional(Type.Boolean('Return the file in the result instead of writing it')),
  'no-escape': Type.Optional(Type.Boolean('With csv: cells as they are, for programs')),
})

type ExportInput = Static<typeof ExportInput>

export const exporting = defineOp({
  name: 'export',
  group: 'Share',
  lists: 'files',
  changes: true,
  effort: 'long',
  teamStore: 'read',
  summary: 'Write sessions to files, with secrets masked.',
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
    out: Type.String('The file or folder, or -'),
    files: Type.Array(
      Type.Object({
        file: Type.String(),
        bytes: Type.Integer(),
        session: NullableString,
        status: Type.Choice(['new', 'updated', 'unchanged'], 'new, updated, or unchanged: left as it was'),
        added: nullable(Type.Integer('With steps: how many are new')),
      }),
    ),
    sessions: Type.Integer('Sessions that were written'),
    total: Type.Integer('Sessions that were asked for'),
    bytes: Type.Integer(),
    compressed: nullable(Type.Object({ rawBytes: Type.Integer(), rawTokens: Type.Integer(), tokens: Type.Integer() })),
    redacted: Type.Boolean(),
    redactions: Type.Record(Type.Integer(), 'How often each kind of secret was masked'),
    problems: Type.Array(Type.Object({ file: Type.String(), message: Type.String() })),
    content: nullable(
      Type.Object({ name: Type.String('What to call it'), base64: Type.String() }, 'With --inline: the file itself'),
    ),
  }),
  async run(context, input) {
    mayBeAsked(context, input)
    const to = formatOf(input)
    const sessions = await chosenSessions(context, input)
    if (sessions.length === 0 && input.out === '-')
      throw new Failure('NOT_FOUND', 'No session matches.', { hint: WIDER })
    const redacted = input['no-redact'] !== true
    const what = sessions.length === 1 ? 'this session' : `these ${sessions.length} sessions`
    if (!redacted) await mayHoldSecrets(context, what, 'export')
    const handed = input.inline ? handedBack(context) : undefined
    const made = await exportSessions(handed?.context ?? context, sessions, {
      to,
      out: handed ? '-' : input.out,
      secrets: !redacted,
      force: input.force === true,
      agents: input.agents ?? 'inline',
      thinking: input.thinking ?? false,
      budget: input.budget,
      escape: input['no-escape'] !== true,
    })
    const bytes = made.files.reduce((sum, one) => sum + one.bytes, 0)
    const compressed = compressionOf(to, sessions, bytes)
    const content = handed ? { name: fileName(to, sessions), base64: handed.base64() } : null
    return { to, ...made, total: sessions.length, bytes, compressed, redacted, content }
  },
})

const WIDER = 'Try a wider --since, or run `annals sessions` to see what there is.'

/** Takes what would stand on standard output. */
function handedBack(context: Context) {
  const chunks: Uint8Array[] = []
  let sum = 0
  const output = (bytes: Uint8Array) => {
    sum += bytes.length
    if (sum > MOST_INLINE) {
      const hint = 'Export it on the command line: annals export SESSION --to FORMAT.'
      throw new Failure('CANNOT_RUN', 'This export is too large to download.', { hint })
    }
    chunks.push(Uint8Array.from(bytes))
  }
  return { context: { ...context, output }, base64: () => Buffer.concat(chunks).toString('base64') }
}

/** What is handed over is held in memory, there and here. */
const MOST_INLINE = 64 << 20

function fileName(to: ExportFormat, [first]: readonly FoundSession[]): string {
  const ending = to === 'bundle' ? 'annals.gz' : to
  return `${first?.agent ? `agent-${first.agent.id}` : (first?.files.id ?? 'sessions')}.${ending}`
}

/** How large the logs were, and about how many tokens they would have been: what a text for a model saves. */
function compressionOf(to: ExportFormat, sessions: readonly FoundSession[], bytes: number) {
  if (to !== 'xml') return null
  const rawBytes = sessions.reduce((sum, { files, agent }) => sum + (agent?.log?.sizeBytes ?? familyBytes(files)), 0)
  return { rawBytes, rawTokens: estimateTokens(rawBytes), tokens: estimateTokens(bytes) }
}

/** The format that was named, or that the name of the file tells. */
function formatOf({ to, out }: ExportInput): ExportFormat {
  const named = to ?? /\.(\w+)$/.exec(out ?? '')?.[1]?.toLowerCase()
  const found = EXPORT_FORMATS.find((format) => format === named)
  if (found) return found
  throw new Failure('USAGE', 'Which format?', { hint: `Add --to with one of ${EXPORT_FORMATS.join(', ')}.` })
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
