import { basename, dirname } from 'node:path'
import { Failure } from '../../core/failure.ts'
import { type Static, Type } from '../../core/schema.ts'
import { matchLines } from '../../core/tools/line-match.ts'
import { linesOf } from '../../core/tools/line-origins.ts'
import { readWhole } from '../../state/private-file.ts'
import type { Context } from '../context.ts'
import { runGit, tryGit } from '../git/run-git.ts'

/** What git says of a line. */
export const GitLineShape = Type.Object({
  commit: Type.String(),
  author: Type.String(),
  timestamp: Type.String(),
  summary: Type.String(),
})

type GitLine = Static<typeof GitLineShape>

/**
 * Git's own blame of a file, by its lines as they are on the disk; lines that are not committed are left out. Git is asked of the last
 * commit alone: of a file on the disk it would run the filters that the repository names.
 */
export function gitBlame({ rootsOnly }: Context, path: string): ReadonlyMap<number, GitLine> {
  if (rootsOnly) throw new Failure('BAD_INPUT', 'Git is used from the command line only.')
  const cwd = dirname(path)
  const name = `./${basename(path)}`
  runGit(['rev-parse', '--git-dir'], { cwd })
  const said = tryGit(['blame', '--porcelain', '--no-textconv', 'HEAD', '--', name], { cwd })
  if (!said) return new Map()
  const committed = readPorcelain(said.toString())
  const now = linesOf(readWhole(path)?.toString() ?? '')
  const matched = matchLines(
    committed.map(({ text }) => text.replace(/\r$/, '')),
    now,
  )
  const lines = new Map<number, GitLine>()
  for (const [i, at] of matched.entries()) if (at !== -1) lines.set(i + 1, (committed[at] as CommittedLine).git)
  return lines
}

interface CommittedLine {
  readonly text: string
  readonly git: GitLine
}

/** Reads what `git blame --porcelain` writes: what is known of a commit stands with its first line. */
function readPorcelain(text: string): readonly CommittedLine[] {
  const commits = new Map<string, Map<string, string>>()
  const lines: CommittedLine[] = []
  let commit = ''
  for (const line of text.split('\n')) {
    const head = /^([0-9a-f]{40,64}) \d+ \d+/.exec(line)
    if (line.startsWith('\t')) {
      const said = commits.get(commit)
      const timestamp = new Date(Number(said?.get('author-time') ?? 0) * 1000).toISOString()
      const git = { commit, author: said?.get('author') ?? '', timestamp, summary: said?.get('summary') ?? '' }
      lines.push({ text: line.slice(1), git })
    } else if (head) commit = head[1] as string
    else {
      const space = line.indexOf(' ')
      const said = commits.get(commit) ?? new Map<string, string>()
      if (space > 0) said.set(line.slice(0, space), line.slice(space + 1))
      commits.set(commit, said)
    }
  }
  return lines
}
