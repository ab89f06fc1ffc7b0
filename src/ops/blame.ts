import { Failure } from '../core/failure.ts'
import { type Static, Type } from '../core/schema.ts'
import { momentOf } from '../core/usage/moment.ts'
import { pathInRepository } from '../disk/repository.ts'
import type { Context } from '../history/context.ts'
import { openRecordedFiles, type RecordedTouch } from '../history/files/all-touches.ts'
import { type Blame, BlameLineShape, blameFile, blameUntil } from '../history/files/blame.ts'
import { blameCommit, CommitBlameShape } from '../history/files/blame-commit.ts'
import { GitLineShape, gitBlame } from '../history/files/git-blame.ts'
import { touchesUntil } from '../history/files/until.ts'
import { namedLines, whichFile } from '../history/files/which-file.ts'
import { findPoint, isPoint } from '../history/point.ts'
import { NullableString, nullable } from '../history/shapes.ts'
import { defineOp } from './op.ts'

const Result = Type.Object({
  path: NullableString,
  inRepository: nullable(Type.String('The path as its repository knows it')),
  onDisk: Type.Boolean('False where there is no such file now: then it is shown as last recorded, or at a point'),
  lines: Type.Array(
    Type.Object({ ...BlameLineShape.properties, git: Type.Optional(nullable(GitLineShape)) }),
    'The lines that were asked for; with --commit those that it added',
  ),
  total: Type.Integer('How many lines these are'),
  proven: Type.Integer('How many of them are proven'),
  outside: Type.Integer(),
  before: Type.Integer(),
  unknown: Type.Integer(),
  commit: Type.Optional(CommitBlameShape),
})

type Result = Static<typeof Result>

/** Says of each line of a file which prompt wrote it. */
export const blame = defineOp({
  name: 'blame',
  group: 'Read',
  effort: 'long',
  teamStore: 'read',
  summary: 'Show which prompt wrote each line of a file.',
  examples: [
    'annals blame src/auth.ts',
    'annals blame src/auth.ts:40-60',
    'annals blame src/auth.ts --git',
    'annals blame src/auth.ts --at last:3',
    'annals blame --commit HEAD',
    'annals blame src/auth.ts --porcelain',
  ],
  input: Type.Object({
    file: Type.Optional(Type.String('The file, or some of its lines: FILE:12 or FILE:12-20')),
    at: Type.Optional(Type.String('As it was then: SESSION:TURN, SESSION:UUID, FILE:LINE of a log, or a time')),
    git: Type.Optional(Type.Boolean("Show git's own blame beside it")),
    commit: Type.Optional(Type.String('Blame the lines that this commit added instead')),
    porcelain: Type.Optional(Type.Boolean('The format of `git blame --porcelain`, for programs')),
  }),
  positional: ['file'],
  result: Result,
  async run(context, input) {
    if (input.commit !== undefined) return ofCommit(context, input.commit, input)
    if (input.file === undefined) {
      throw new Failure('USAGE', 'Which file?', { hint: 'annals blame FILE, or annals blame --commit SHA' })
    }
    if (input.git && input.at !== undefined) {
      throw new Failure('USAGE', '--git shows the file as it is now: it cannot be combined with --at.')
    }
    const named = namedLines(context, input.file)
    const files = await openRecordedFiles(context)
    const path = whichFile(context, named.path, files.paths)
    const found =
      input.at === undefined
        ? await blameFile(context, files, path)
        : await blameUntil(context, path, await cut(context, await files.touches(path), input.at))
    const git = input.git ? await gitBlame(context, path) : undefined
    const result = counted(found, wanted(found, named))
    if (!git) return result
    return { ...result, lines: result.lines.map((line) => ({ ...line, git: git.get(line.line) ?? null })) }
  },
})

/** What had happened at a point or a time. */
async function cut(context: Context, touches: readonly RecordedTouch[], at: string): Promise<readonly RecordedTouch[]> {
  if (isPoint(at)) return touches.slice(0, touchesUntil(touches, await findPoint(context, at)))
  const time = momentOf(at, context.now).getTime()
  return touches.filter((touch) => touch.time <= time)
}

function wanted({ lines }: Blame, { from = 1, to = Number.POSITIVE_INFINITY, path }: ReturnType<typeof namedLines>) {
  if (lines.length > 0 && from > lines.length) {
    throw new Failure('BAD_INPUT', `${path} has ${lines.length} lines: there is no line ${from}.`)
  }
  return lines.slice(from - 1, to)
}

function counted({ path, isOnDisk }: Pick<Blame, 'path' | 'isOnDisk'>, lines: Blame['lines']): Result {
  const count = (rule: string) => lines.filter((line) => line.rule === rule).length
  const [proven, outside, before, unknown] = [count('proven'), count('outside'), count('before'), count('unknown')]
  const inRepository = pathInRepository(path)?.path ?? null
  return {
    path,
    inRepository,
    onDisk: isOnDisk,
    lines: [...lines],
    total: lines.length,
    proven,
    outside,
    before,
    unknown,
  }
}

async function ofCommit(context: Context, commit: string, input: { readonly file?: string; readonly git?: boolean }) {
  if (input.file !== undefined || input.git) {
    throw new Failure('USAGE', '--commit shows all files of a commit: it takes no file and no --git.')
  }
  const { lines, ...told } = await blameCommit(context, commit)
  return { ...counted({ path: '', isOnDisk: false }, lines), path: null, commit: told }
}
