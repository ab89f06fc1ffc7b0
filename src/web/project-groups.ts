import type { OpResult } from './api.ts'
import { distinctNames } from './session-words.ts'

/** A project as `projects` lists it. */
export type ProjectLine = OpResult<'projects'>['items'][number]

/** A repository, or a folder without one, with all the projects that belong to it. */
export interface ProjectGroup {
  /** The key of its main project: what stands in an address. */
  readonly key: string
  readonly name: string
  readonly path: string | null
  readonly main: ProjectLine | undefined
  /** Worktrees and folders inside. */
  readonly parts: readonly ProjectLine[]
  readonly keys: ReadonlySet<string>
}

/** Puts worktrees under their repositories; the order of the list is kept. */
export function projectGroups(projects: readonly ProjectLine[]): readonly ProjectGroup[] {
  const groups = new Map<string, ProjectLine[]>()
  for (const project of projects) {
    const home = project.repository ?? project.path ?? project.key
    const members = groups.get(home)
    if (members) members.push(project)
    else groups.set(home, [project])
  }
  const names = distinctNames(groups.keys())
  return [...groups].map(([home, members]) => {
    const main = members.find((member) => member.path === home) ?? (members.length === 1 ? members[0] : undefined)
    const first = main ?? (members[0] as ProjectLine)
    return {
      key: first.key,
      name: names.get(home) ?? home,
      path: main ? main.path : home,
      main,
      parts: members.filter((member) => member !== main),
      keys: new Set(members.map(({ key }) => key)),
    }
  })
}

/** The projects that an address means by a key: a repository stands for its worktrees too. */
export function keysOf(groups: readonly ProjectGroup[], key: string): ReadonlySet<string> {
  return groups.find((group) => group.key === key)?.keys ?? new Set([key])
}

/**
 * How an operation is told which projects are meant: a repository with worktrees by its path, so that they are in, any
 * other by its key.
 */
export function scopeOf(
  groups: readonly ProjectGroup[],
  key: string | undefined,
): { readonly project?: string; readonly under?: string } {
  if (key === undefined) return {}
  const group = groups.find((one) => one.key === key)
  return group && group.path !== null && group.parts.length > 0 ? { under: group.path } : { project: key }
}
