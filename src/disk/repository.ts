import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { attempt, readSmallFile } from './small-file.ts'

/** The repository a folder belongs to. */
export interface Repository {
  /** The main working folder, also for a worktree; of a bare repository the folder of its data. */
  readonly repository: string
  readonly worktree: boolean
}

/**
 * Finds the repository of a path by looking for `.git` in it and above, without running git. A worktree leads to its main
 * repository, also one that is gone, if it stood where worktrees are usually made.
 */
export function repositoryOf(path: string): Repository | undefined {
  const found = located(path)
  return found && { repository: found.repository, worktree: found.worktree }
}

/** A file as its repository knows it: the same in all working folders of one. */
export function pathInRepository(path: string): { readonly repository: string; readonly path: string } | undefined {
  const found = located(path)
  return found?.folder === undefined
    ? undefined
    : { repository: found.repository, path: path.slice(found.folder.length + 1) }
}

/** A repository, and the working folder of it that a path lies in. */
interface Located extends Repository {
  readonly folder?: string
}

function located(path: string): Located | undefined {
  // A path of another system says nothing about this one's folders, and must not be taken as relative to ours.
  const start = isAbsolute(path) ? resolve(path) : path
  const made = madeWorktree(start)
  if (!isAbsolute(path)) return made && { ...made, worktree: true }
  const left = leftWorktree(start)
  for (let folder = start; ; folder = dirname(folder)) {
    const found = repositoryAt(folder)
    if (found !== undefined) return { ...found, folder }
    if (folder === made?.folder) {
      return { repository: repositoryOf(made.repository)?.repository ?? made.repository, worktree: true, folder }
    }
    if (folder === left?.folder && !existsSync(folder)) {
      const above = repositoryOf(left.repository)?.repository ?? left.repository
      return { repository: repositoryBeside(folder) ?? above, worktree: true, folder }
    }
    if (dirname(folder) === folder) return undefined
  }
}

function repositoryAt(folder: string): Repository | undefined {
  const git = join(folder, '.git')
  const stats = attempt(git, [], () => statSync(git))
  if (stats?.isDirectory()) return { repository: folder, worktree: false }
  const text = stats && readSmallFile(git, [], { maxBytes: 65_536, followLinks: true })?.text
  const gitdir = text && /^gitdir: *(.+?)\s*$/m.exec(text)?.[1]
  if (!gitdir) return undefined
  // A submodule or a separate data folder has such a file too, but is a repository of its own.
  const data = /^(.+)[\\/]worktrees[\\/][^\\/]+$/.exec(resolve(folder, gitdir))?.[1]
  if (data === undefined) return { repository: folder, worktree: false }
  return { repository: basename(data) === '.git' ? dirname(data) : data, worktree: true }
}

function madeWorktree(path: string): { readonly repository: string; readonly folder: string } | undefined {
  const [, folder, repository] = /^((.+)[\\/]\.(?:claude[\\/]worktrees|worktrees)[\\/][^\\/]+)/.exec(path) ?? []
  return folder === undefined || repository === undefined ? undefined : { repository, folder }
}

/** Tools that make worktrees in a folder of their own call it `worktrees`; only of one that is gone nothing else can be said. */
function leftWorktree(path: string): { readonly repository: string; readonly folder: string } | undefined {
  const [, folder, repository] = /^((.+)[\\/]worktrees[\\/][^\\/]+)/.exec(path) ?? []
  return folder === undefined || repository === undefined ? undefined : { repository, folder }
}

/** The repository of the worktrees beside one that is gone. */
function repositoryBeside(folder: string): string | undefined {
  const names = attempt(folder, [], () => readdirSync(dirname(folder))) ?? []
  for (const name of names) {
    const found = repositoryAt(join(dirname(folder), name))
    if (found?.worktree) return found.repository
  }
  return undefined
}
