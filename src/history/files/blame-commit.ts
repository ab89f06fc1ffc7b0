import { Failure } from '../../core/failure.ts'
import { grouped } from '../../core/grouped.ts'
import { type Static, Type } from '../../core/schema.ts'
import { matchLines } from '../../core/tools/line-match.ts'
import { linesOf } from '../../core/tools/line-origins.ts'
import type { Context } from '../context.ts'
import { type Commit, changedFiles, commitNamed, topFolder } from '../git/commits.ts'
import { NullableNumber, nullable } from '../shapes.ts'
import { openRecordedFiles, type RecordedFiles } from './all-touches.ts'
import { type BlameLine, blameText } from './blame.ts'
import { contentOf } from './timeline.ts'

const CommitFileShape = Type.Object({ path: Type.String(), added: Type.Integer(), proven: Type.Integer() })

const CommitSessionShape = Type.Object({
  session: Type.String(),
  lines: Type.Integer('Lines of the commit that it wrote'),
  prompts: Type.Array(Type.Object({ turn: NullableNumber, prompt: nullable(Type.String()), lines: Type.Integer() })),
  models: Type.Array(Type.String()),
})

/** A commit, and who wrote what it added. */
export const CommitBlameShape = Type.Object({
  sha: Type.String(),
  author: Type.String(),
  timestamp: Type.String(),
  summary: Type.String(),
  added: Type.Integer('Lines that it added'),
  share: nullable(Type.Number('The share of them that is proven; null where it added none')),
  files: Type.Array(CommitFileShape),
  sessions: Type.Array(CommitSessionShape, 'Those that wrote its lines, the most first'),
})

type CommitBlame = Static<typeof CommitBlameShape>

/** A line that a commit added. */
export interface AddedLine extends BlameLine {
  readonly path: string
}

/** Blames the lines that a commit added. */
export async function blameCommit(
  context: Context,
  name: string,
): Promise<CommitBlame & { readonly lines: AddedLine[] }> {
  if (context.rootsOnly) throw new Failure('BAD_INPUT', 'Git is used from the command line only.')
  const commit = commitNamed(context.cwd, name)
  const top = topFolder(context.cwd)
  const lines = await addedLines(context, await openRecordedFiles(context), top, commit)
  return { ...commitTold(commit, lines), lines }
}

/** What a commit added, with where each line comes from, as the files were known when it was made. */
export async function addedLines(
  context: Context,
  files: RecordedFiles,
  top: string,
  commit: Commit,
): Promise<AddedLine[]> {
  const time = Date.parse(commit.timestamp) + 999
  const added: AddedLine[] = []
  for (const { path, before, after } of changedFiles(top, commit)) {
    const content = after === null ? undefined : contentOf(after)
    if (!content || content.isBase64) continue
    const kept = matchLines(before === null ? [] : linesOf(contentOf(before).text), linesOf(content.text))
    if (!kept.includes(-1)) continue
    const whole = `${top}/${path}`
    const blamed = await blameText(context, await files.touches(whole), { path: whole, text: content, time })
    added.push(...blamed.lines.flatMap((line, i) => (kept[i] === -1 ? [{ ...line, path }] : [])))
  }
  return added
}

/** The sums of a commit. */
export function commitTold({ sha, author, timestamp, summary }: Commit, lines: readonly AddedLine[]): CommitBlame {
  const proven = lines.filter(({ rule }) => rule === 'proven')
  const files = [...grouped(lines, ({ path }) => path)].map(([path, own]) => {
    return { path, added: own.length, proven: own.filter(({ rule }) => rule === 'proven').length }
  })
  const sessions = [...grouped(proven, ({ call }) => call?.session ?? '')].map(([session, own]) => ({
    session,
    lines: own.length,
    prompts: [...grouped(own, ({ call }) => JSON.stringify([call?.turn, call?.prompt])).values()].map((same) => ({
      turn: same[0].call?.turn ?? null,
      prompt: same[0].call?.prompt ?? null,
      lines: same.length,
    })),
    models: [...new Set(own.flatMap(({ call }) => call?.model ?? []))],
  }))
  const share = lines.length === 0 ? null : proven.length / lines.length
  return {
    sha,
    author,
    timestamp,
    summary,
    added: lines.length,
    share,
    files,
    sessions: sessions.sort((a, b) => b.lines - a.lines),
  }
}
