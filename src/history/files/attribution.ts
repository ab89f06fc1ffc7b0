import { resolve } from 'node:path'
import { Failure } from '../../core/failure.ts'
import { grouped } from '../../core/grouped.ts'
import { type Static, Type } from '../../core/schema.ts'
import { pathInRepository } from '../../disk/repository.ts'
import type { Context } from '../context.ts'
import { type Commit, commitsSince, topFolder } from '../git/commits.ts'
import { NullableNumber, NullableString } from '../shapes.ts'
import { openRecordedFiles } from './all-touches.ts'
import { type AddedLine, addedLines, CommitBlameShape, commitTold } from './blame-commit.ts'

const SumShape = {
  lines: Type.Integer('Lines of commits that are proven to come from it'),
  commits: Type.Integer('Commits that have such lines'),
}

/** Who wrote what a repository's commits added. */
export const AttributionShape = Type.Object({
  repository: Type.String(),
  since: NullableString,
  total: Type.Integer('Commits'),
  added: Type.Integer('Lines that they added'),
  proven: Type.Integer('Lines of them that calls are proven to have written'),
  outside: Type.Integer(),
  before: Type.Integer(),
  unknown: Type.Integer(),
  share: NullableNumber,
  sessions: Type.Array(Type.Object({ session: Type.String(), ...SumShape, models: Type.Array(Type.String()) })),
  models: Type.Array(Type.Object({ model: Type.String(), ...SumShape, sessions: Type.Integer() })),
  commits: Type.Array(CommitBlameShape),
})

export type Attribution = Static<typeof AttributionShape>

/** A commit with its lines, for records of each. */
export interface AttributedCommit {
  readonly commit: Commit
  readonly lines: readonly AddedLine[]
}

/** Attributes the commits of a repository, from a time on; else since the first call that is recorded of it. */
export async function attribute(
  context: Context,
  { folder, since }: { readonly folder: string | undefined; readonly since: Date | undefined },
): Promise<{ readonly attribution: Attribution; readonly commits: readonly AttributedCommit[] }> {
  if (context.rootsOnly) throw new Failure('BAD_INPUT', 'Git is used from the command line only.')
  const top = topFolder(resolve(context.cwd, folder ?? '.'))
  const files = await openRecordedFiles(context)
  const repository = pathInRepository(`${top}/x`)?.repository ?? top
  const from = since ?? files.firstCall((path) => pathInRepository(path)?.repository === repository)
  const found = from === undefined ? [] : commitsSince(top, from, MOST_COMMITS)
  const commits: AttributedCommit[] = []
  for (const commit of found) {
    context.progress(commits.length, found.length, 'commits')
    commits.push({ commit, lines: await addedLines(context, files, top, commit) })
  }
  const lines = commits.flatMap(({ commit, lines: own }) => own.map((line) => ({ ...line, sha: commit.sha })))
  const count = (rule: string) => lines.filter((line) => line.rule === rule).length
  const proven = lines.flatMap((line) => (line.call ? [{ ...line.call, sha: line.sha }] : []))
  const shas = (own: readonly { readonly sha: string }[]) => new Set(own.map(({ sha }) => sha)).size
  const sessions = [...grouped(proven, ({ session }) => session)].map(([session, own]) => {
    return {
      session,
      lines: own.length,
      commits: shas(own),
      models: [...new Set(own.flatMap(({ model }) => model ?? []))],
    }
  })
  const models = [...grouped(proven, ({ model }) => model ?? 'unknown')].map(([model, own]) => {
    return { model, lines: own.length, commits: shas(own), sessions: new Set(own.map(({ session }) => session)).size }
  })
  const attribution = {
    repository: top,
    since: from?.toISOString() ?? null,
    total: commits.length,
    added: lines.length,
    proven: proven.length,
    outside: count('outside'),
    before: count('before'),
    unknown: count('unknown'),
    share: lines.length === 0 ? null : proven.length / lines.length,
    sessions: sessions.sort((a, b) => b.lines - a.lines),
    models: models.sort((a, b) => b.lines - a.lines),
    commits: commits.map(({ commit, lines: own }) => commitTold(commit, own)),
  }
  return { attribution, commits }
}

const MOST_COMMITS = 100_000
