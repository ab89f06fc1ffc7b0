import { resolve, sep } from 'node:path'
import { keyMatches } from '../core/encode.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import { repositoryOf } from '../disk/repository.ts'
import { keyOfFiles, listedSessions } from './families.ts'
import { type HistoryOptions, historyOf } from './history.ts'

/** Which projects are meant. */
export interface ScopeInput {
  readonly project?: string | undefined
  readonly under?: string | undefined
  readonly here?: boolean | undefined
}

/** A project as a scope sees it: its folder name and, where a record told, its real path. */
export interface ScopedProject {
  readonly key: string
  readonly path: string | null
}

/** A test for projects inside the scope. */
export function inScope(input: ScopeInput, cwd: string): (project: ScopedProject) => boolean {
  const tests: ((project: ScopedProject) => boolean)[] = []
  if (input.project !== undefined) tests.push(isProject(input.project, cwd))
  if (input.under !== undefined) tests.push(isUnder(resolve(cwd, input.under)))
  if (input.here) tests.push(isHere(cwd))
  return (project) => tests.every((fits) => fits(project))
}

/** The sessions of the projects inside a scope, with all their agents. */
export async function sessionsInScope(
  context: HistoryOptions & { readonly cwd: string },
  input: ScopeInput,
): Promise<readonly SessionFiles[]> {
  const history = historyOf(context)
  if (isEverything(input)) return listedSessions(history)
  const fits = inScope(input, context.cwd)
  const infos = await (await history.refresh()).sessions.infos()
  return (await listedSessions(history)).filter((files) => {
    return fits({ key: files.project.key, path: infos.get(keyOfFiles(files))?.project.path ?? null })
  })
}

/** Whether all projects are meant. */
export function isEverything({ project, under, here }: ScopeInput): boolean {
  return project === undefined && under === undefined && !here
}

/** By its folder name, its path in any spelling, or the end of its path as lists show it. */
function isProject(named: string, cwd: string): (project: ScopedProject) => boolean {
  const isAt = at(resolve(cwd, named))
  const wanted = pathParts(named.replace(/^…[\\/]/, ''))
  const isWhole = WINDOWS.test(named)
  return (project) => {
    if (project.key === named || isAt(project)) return true
    if (project.path === null) return isWhole && keyMatches(project.key, named.replaceAll('/', '\\'))
    const parts = pathParts(project.path)
    if (isWhole) return WINDOWS.test(project.path) && sameParts(parts, wanted)
    const isLabel = wanted.length > 0 && !/^(?:[\\/~]|\.\.?(?:[\\/]|$))/.test(named)
    return isLabel && sameParts(parts.slice(-wanted.length), wanted)
  }
}

const WINDOWS = /^[a-z]:[\\/]/i

/** The names of a path; of one on Windows in small letters, as there is no difference there. */
function pathParts(path: string): readonly string[] {
  const text = WINDOWS.test(path) ? path.toLowerCase() : path
  return text.split(WINDOWS.test(path) ? /[\\/]/ : '/').filter((part) => part !== '')
}

function sameParts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, at) => part === b[at])
}

/** A project at a path; one whose path no record told is known by the name of its folder. */
function at(folder: string): (project: ScopedProject) => boolean {
  return ({ key, path }) => (path === null ? keyMatches(key, folder) : path === folder)
}

/** A path at or below a folder, by whole names: `/a/foo-docker` is not below `/a/foo`. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

function isUnder(folder: string): (project: ScopedProject) => boolean {
  const isAt = at(folder)
  return (project) => isAt(project) || (project.path !== null && isBelow(project.path, folder))
}

function isHere(cwd: string): (project: ScopedProject) => boolean {
  const repository = repositoryOf(cwd)?.repository ?? cwd
  const isWithin = isUnder(repository)
  return (project) =>
    isWithin(project) || (project.path !== null && repositoryOf(project.path)?.repository === repository)
}
