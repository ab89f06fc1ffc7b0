import { Failure } from '../../core/failure.ts'
import { runGit, tryGit } from './run-git.ts'

/** A commit: who made it and when, and what stands in its first line. */
export interface Commit {
  readonly sha: string
  /** The first one; `null` of a root commit. */
  readonly parent: string | null
  readonly parents: number
  readonly author: string
  /** When it was committed. */
  readonly timestamp: string
  readonly summary: string
}

/** A file that a commit changed, with its text before and after; `null` where there was none. */
export interface CommitFile {
  readonly path: string
  readonly before: Buffer | null
  readonly after: Buffer | null
}

/** The main folder of the working tree that a folder lies in. */
export function topFolder(cwd: string): string {
  return runGit(['rev-parse', '--show-toplevel'], { cwd }).toString().replace(/\n$/, '')
}

/** The commit that a person names. */
export function commitNamed(cwd: string, name: string): Commit {
  const isName = name !== '' && !name.startsWith('-')
  const found = isName && tryGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], { cwd })
  if (!found) {
    topFolder(cwd)
    throw new Failure('NOT_FOUND', `This repository has no commit "${name}".`, { hint: 'Run `git log` to see them.' })
  }
  const [commit] = readCommits(cwd, [found.toString().trim()])
  return commit as Commit
}

/** The commits that lead to the present one, the newest first, merges left out. */
export function commitsSince(cwd: string, since: Date | undefined, most: number): readonly Commit[] {
  const head = tryGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { cwd })
  if (!head) {
    topFolder(cwd)
    return []
  }
  const when = since ? [`--since=${Math.floor(since.getTime() / 1000)}`] : []
  const list = runGit(['rev-list', '--no-merges', `--max-count=${most}`, ...when, head.toString().trim(), '--'], {
    cwd,
  })
  return readCommits(cwd, list.toString().split('\n').filter(Boolean))
}

/** The text files that a commit changed against its first parent. What is no text, or no file, is left out. */
export function changedFiles(cwd: string, { sha, parent }: Commit): readonly CommitFile[] {
  const against = parent === null ? ['--root', sha] : [parent, sha]
  const args = [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-commit-id',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-abbrev',
  ]
  const parts = runGit([...args, ...against, '--'], { cwd })
    .toString()
    .split('\0')
  const changes: { path: string; before: string | null; after: string | null }[] = []
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [oldMode = '', newMode = '', before = '', after = ''] = (parts[i] ?? '').replace(/^:/, '').split(' ')
    const idOf = (mode: string, id: string) => (mode.startsWith('100') ? id : null)
    changes.push({ path: parts[i + 1] ?? '', before: idOf(oldMode, before), after: idOf(newMode, after) })
  }
  const blobs = readObjects(cwd, [
    ...new Set(changes.flatMap(({ before, after }) => [before, after]).filter((id) => id !== null)),
  ])
  return changes
    .map(({ path, before, after }) => ({ path, before: blobOf(blobs, before), after: blobOf(blobs, after) }))
    .filter(({ before, after }) => [before, after].every((one) => one === null || !one.includes(0)))
}

function blobOf(blobs: ReadonlyMap<string, Buffer>, id: string | null): Buffer | null {
  return id === null ? null : (blobs.get(id) ?? null)
}

/** Objects by their ids, all in one go. */
function readObjects(cwd: string, ids: readonly string[]): ReadonlyMap<string, Buffer> {
  const objects = new Map<string, Buffer>()
  if (ids.length === 0) return objects
  const all = runGit(['cat-file', '--batch'], { cwd, input: `${ids.join('\n')}\n` })
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf(0x0a, at)
    const [id = '', type, size] = all.subarray(at, end).toString().split(' ')
    at = end + 1
    if (type === undefined || size === undefined) continue
    objects.set(id, all.subarray(at, at + Number(size)))
    at += Number(size) + 1
  }
  return objects
}

/** Commits are read as they lie, so that no setting has a say in how they are shown. */
function readCommits(cwd: string, shas: readonly string[]): readonly Commit[] {
  const objects = readObjects(cwd, shas)
  return shas.flatMap((sha) => {
    const text = objects.get(sha)?.toString()
    if (text === undefined) return []
    const split = text.indexOf('\n\n')
    const head = text.slice(0, split).split('\n')
    const field = (name: string) =>
      head.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
    const [, author = ''] = /^(.*?) ?<[^>]*> \d+ [+-]\d+$/.exec(field('author')[0] ?? '') ?? []
    const seconds = Number(/ (\d+) [+-]\d+$/.exec(field('committer')[0] ?? '')?.[1])
    const parents = field('parent')
    return [
      {
        sha,
        parent: parents[0] ?? null,
        parents: parents.length,
        author,
        timestamp: new Date(Number.isFinite(seconds) ? seconds * 1000 : 0).toISOString(),
        summary:
          text
            .slice(split + 2)
            .trimStart()
            .split('\n')[0] ?? '',
      },
    ]
  })
}
