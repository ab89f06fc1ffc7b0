import { Failure } from '../core/failure.ts'
import { type Static, Type } from '../core/schema.ts'
import { writeOut } from '../export/write-out.ts'
import type { Context } from '../history/context.ts'
import { type FileAt, FileAtShape, FileVersionShape, openFileHistory } from '../history/files/file-at.ts'
import { listTouches, TouchShape } from '../history/files/touches.ts'
import { NullableString, nullable, scopeInput } from '../history/shapes.ts'
import { defineOp } from './op.ts'

const Result = Type.Object({
  items: Type.Array(TouchShape, 'The touches; of a point, the one that tells what the file held'),
  total: Type.Integer(),
  path: Type.Optional(Type.String('With --at, --diff or --versions: the file')),
  session: Type.Optional(Type.String('With these: the session')),
  ...Type.Partial(FileAtShape).properties,
  against: Type.Optional(nullable(FileAtShape)),
  written: Type.Optional(NullableString),
  versions: Type.Optional(Type.Array(FileVersionShape)),
})

const Input = Type.Object({
  path: Type.Optional(Type.String('Only this file, or files below this folder')),
  session: Type.Optional(Type.String('Only this session, or agent-<id>')),
  ...scopeInput,
  reads: Type.Optional(Type.Boolean('Also files that were only read')),
  at: Type.Optional(
    Type.String(
      'The file as it was then: at the end of a turn (0: before the first), or after the row with this uuid; from the newest session that touched it unless --session names one',
    ),
  ),
  diff: Type.Optional(Type.String('What changed between --at (else the end) and this: a turn, a uuid, end, or disk')),
  versions: Type.Optional(Type.Boolean('Every version of the file in one session')),
  out: Type.Optional(Type.String('With --at: write the file there')),
  force: Type.Optional(Type.Boolean('With --out: replace a file that is there')),
})

export const files = defineOp({
  name: 'files',
  group: 'Read',
  effort: 'long',
  teamStore: 'copy',
  summary: 'List the files a session changed; show one as it was.',
  examples: [
    'annals files --session last',
    'annals files src/auth',
    'annals files src/auth.ts --versions',
    'annals files src/auth.ts --at 3',
    'annals files src/auth.ts --at 3 --out auth.old.ts',
    'annals files src/auth.ts --at 3 --diff 5',
    'annals files src/auth.ts --diff disk',
    'annals files --here --reads',
  ],
  input: Input,
  positional: ['path'],
  result: Result,
  async run(context, input) {
    if (input.at !== undefined || input.diff !== undefined || input.versions) return fileAt(context, input)
    if (input.out !== undefined) throw new Failure('USAGE', '--out needs --at: the point at which the file is wanted.')
    const touches = await listTouches(context, input)
    const items = touches.filter((item) => input.reads || item.operation !== 'read')
    return { items, total: items.length }
  },
})

async function fileAt(context: Context, { path, ...input }: Static<typeof Input>): Promise<Static<typeof Result>> {
  if (path === undefined) {
    const hint = 'For example: annals files src/auth.ts --at 3'
    throw new Failure('USAGE', 'Which file? Name it before the flags.', { hint })
  }
  if (input.out !== undefined && (input.diff !== undefined || input.versions || input.at === undefined)) {
    throw new Failure('USAGE', '--out writes the file at one point: it goes with --at alone.')
  }
  const history = await openFileHistory(context, { ...input, path })
  const named = { path: history.path, session: history.session }
  if (input.versions) {
    const versions = history.versions()
    const items = versions.flatMap(({ told }) => history.touchAt(told))
    return { items, total: versions.length, ...named, versions }
  }
  const file = history.at(input.at)
  const against = input.diff === undefined ? null : history.at(input.diff)
  for (const one of [file, against]) {
    if (one?.confidence !== 'doubtful') continue
    for (const message of one.unknown) context.warn({ file: history.path, message })
  }
  const force = input.force === true
  const written = input.out === undefined ? null : await writeOut(context, input.out, bytesOf(file), { force })
  const items = file.confidence === 'none' ? [] : history.touchAt(file.told)
  return { items, total: file.confidence === 'none' ? 0 : 1, ...named, ...file, against, written }
}

function bytesOf({ text, base64, exists, unknown }: FileAt): Uint8Array {
  if (text !== null) return Buffer.from(text, base64 ? 'base64' : 'utf8')
  const message = exists === false ? 'There was no such file at that point.' : 'What the file held then is not known.'
  throw new Failure('NOT_FOUND', message, {
    hint: unknown.join(' ') || 'See its versions: annals files <path> --versions',
  })
}
