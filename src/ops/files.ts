import { Failure } from '../core/failure.ts'
import { type Static, Type } from '../core/schema.ts'
import { writeOut } from '../export/write-out.ts'
import type { Context } from '../history/context.ts'
import {
  type FileAt,
  FileAtShape,
  type FileHistory,
  FileVersionShape,
  fileBytes,
  openFileHistory,
} from '../history/files/file-at.ts'
import { LoggedVersionShape, openFileLog } from '../history/files/file-log.ts'
import { listTouches, TouchShape } from '../history/files/touches.ts'
import { isPoint } from '../history/point.ts'
import { NullableString, nullable, scopeInput } from '../history/shapes.ts'
import { defineOp } from './op.ts'

const Result = Type.Object({
  items: Type.Array(TouchShape, 'The touches; of a point, the one that shows what the file contained'),
  total: Type.Integer(),
  path: Type.Optional(Type.String('With --at, --diff, --log or --versions: the file')),
  session: Type.Optional(nullable(Type.String('With these: the session that tells it'))),
  ...Type.Partial(FileAtShape).properties,
  against: Type.Optional(nullable(FileAtShape)),
  written: Type.Optional(NullableString),
  versions: Type.Optional(Type.Array(FileVersionShape)),
  log: Type.Optional(Type.Array(LoggedVersionShape)),
})

const Input = Type.Object({
  path: Type.Optional(Type.String('Only this file, or files below this folder')),
  session: Type.Optional(Type.String('Only this session, or agent-<id>')),
  ...scopeInput,
  reads: Type.Optional(Type.Boolean('Also files that were only read')),
  at: Type.Optional(
    Type.String(
      'The file as it was then, over all sessions: SESSION:TURN, SESSION:UUID, FILE:LINE of a log, or a time; or in one session: the end of a turn (0: before the first), or after the row with this uuid',
    ),
  ),
  diff: Type.Optional(
    Type.String(
      'What changed from this to the second point, both named as for --at, or end, or disk; without a second, from --at (else the end) to this',
    ),
  ),
  to: Type.Optional(Type.String('With --diff: the second point')),
  log: Type.Optional(Type.Boolean('Every version of the file over all sessions, each with its prompt')),
  versions: Type.Optional(Type.Boolean('Every version of the file in one session')),
  out: Type.Optional(Type.String('With --at: write the file there')),
  force: Type.Optional(Type.Boolean('With --out: overwrite an existing file')),
})

export const files = defineOp({
  name: 'files',
  group: 'Read',
  effort: 'long',
  teamStore: 'read',
  summary: 'List the files a session changed; show one as it was.',
  examples: [
    'annals files --session last',
    'annals files src/auth',
    'annals files src/auth.ts --log',
    'annals files src/auth.ts --versions',
    'annals files src/auth.ts --at yesterday',
    'annals files src/auth.ts --at 3f9a:2',
    'annals files src/auth.ts --diff 3f9a:2 disk',
    'annals files src/auth.ts --at 3',
    'annals files src/auth.ts --at 3 --out auth.old.ts',
    'annals files src/auth.ts --at 3 --diff 5',
    'annals files src/auth.ts --diff disk',
    'annals files --here --reads',
  ],
  input: Input,
  positional: ['path', 'to'],
  result: Result,
  async run(context, input) {
    if (input.to !== undefined && input.diff === undefined) {
      throw new Failure('USAGE', `What is "${input.to}" for? A second point goes with --diff.`)
    }
    if (input.log) return fileLog(context, input)
    if (input.at !== undefined || input.diff !== undefined || input.versions) return fileAt(context, input)
    if (input.out !== undefined) throw new Failure('USAGE', '--out needs --at: the point at which the file is wanted.')
    const touches = await listTouches(context, input)
    const items = touches.filter((item) => input.reads || item.operation !== 'read')
    return { items, total: items.length }
  },
})

type FilesInput = Static<typeof Input>

async function fileLog(
  context: Context,
  { path, at, diff, versions, out, session }: FilesInput,
): Promise<Static<typeof Result>> {
  if ([at, diff, versions, out, session].some((one) => one !== undefined)) {
    throw new Failure('USAGE', '--log shows all sessions and all versions: it cannot be combined with the other flags.')
  }
  const opened = await openFileLog(context, named(path))
  const log = await opened.versions()
  return { items: [], total: log.length, path: opened.path, session: null, log }
}

function named(path: string | undefined): string {
  if (path !== undefined) return path
  const hint = 'For example: annals files src/auth.ts --at 3'
  throw new Failure('USAGE', 'Which file? Name it before the flags.', { hint })
}

async function fileAt(context: Context, { path: asked, ...input }: FilesInput): Promise<Static<typeof Result>> {
  const path = named(asked)
  if (input.out !== undefined && (input.diff !== undefined || input.versions || input.at === undefined)) {
    throw new Failure('USAGE', '--out writes the file at one point: it needs --at.')
  }
  if (input.to !== undefined && input.at !== undefined) {
    throw new Failure('USAGE', '--diff with two points takes no --at.')
  }
  const [first, second] = input.to === undefined ? [input.at, input.diff] : [input.diff, input.to]
  if (!input.versions && [first, second].some(isOfAll)) return overAll(context, path, input, [first, second])
  const history = await openFileHistory(context, { ...input, path })
  const ofSession = { path: history.path, session: history.session }
  if (input.versions) {
    const versions = history.versions()
    const items = versions.flatMap(({ told }) => history.touchAt(told))
    return { items, total: versions.length, ...ofSession, versions }
  }
  const file = history.at(first)
  const against = second === undefined ? null : history.at(second)
  const written = await told(context, history.path, input, file, against)
  const items = file.confidence === 'none' ? [] : history.touchAt(file.told)
  return { items, total: file.confidence === 'none' ? 0 : 1, ...ofSession, ...file, against, written }
}

/** Points with a session and times are looked up over all sessions; a turn, a row, `end` and `disk` are of one. */
function isOfAll(asked: string | undefined): boolean {
  if (asked === undefined || asked === 'end' || asked === 'disk') return false
  return isPoint(asked) || !/^(?:\d{1,6}|toolu_\w+|[0-9a-f]{8}[0-9a-f-]*)$/.test(asked)
}

async function overAll(
  context: Context,
  path: string,
  input: FilesInput,
  [first, second]: readonly (string | undefined)[],
): Promise<Static<typeof Result>> {
  const all = await openFileLog(context, path)
  let own: FileHistory | undefined
  const at = async (asked: string | undefined): Promise<FileAt> => {
    if (asked !== undefined && isOfAll(asked)) return all.at(asked)
    if (asked === undefined || asked === 'end') return all.at(context.now.toISOString())
    own ??= await openFileHistory(context, { ...input, path: all.path })
    return own.at(asked)
  }
  const file = await at(first)
  const against = second === undefined ? null : await at(second)
  const written = await told(context, all.path, input, file, against)
  const session = 'session' in file ? (file.session as string | null) : null
  return { items: [], total: file.confidence === 'none' ? 0 : 1, path: all.path, ...file, session, against, written }
}

/** Says what is doubtful, and writes the file where that is asked for. */
async function told(
  context: Context,
  path: string,
  { out, force }: FilesInput,
  file: FileAt,
  against: FileAt | null,
): Promise<string | null> {
  for (const one of [file, against]) {
    if (one?.confidence !== 'doubtful') continue
    for (const message of one.unknown) context.warn({ file: path, message })
  }
  return out === undefined ? null : await writeOut(context, out, fileBytes(file), { force: force === true })
}
