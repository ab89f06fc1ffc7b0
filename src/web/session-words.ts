import type { OpResult } from './api.ts'

/** A session as lists show it. */
export type SessionLine = OpResult<'sessions'>['items'][number]

/** The title of a session in one line; what it is where it has none. */
export function titleText(session: { readonly title: string | null; readonly id: string }): string {
  const line = session.title?.slice(0, MOST_CHARS).replace(/\s+/g, ' ').trim()
  return line || `Untitled ${session.id.slice(0, 8)}`
}

/** More of a title is never shown. */
const MOST_CHARS = 300

/** The last name of a path: what people call a project. */
export function folderName(path: string): string {
  return (
    path
      .split(/[\\/]/)
      .filter((name) => name !== '')
      .at(-1) ?? path
  )
}

/** The last name of each path, with as many names before it as it takes to tell them apart. */
export function distinctNames(paths: Iterable<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const undecided = new Set(paths)
  for (let length = 1; undecided.size > 0; length += 1) {
    const byName = new Map<string, string[]>()
    for (const path of undecided) {
      const name =
        path
          .split(/[\\/]/)
          .filter((part) => part !== '')
          .slice(-length)
          .join('/') || path
      byName.set(name, [...(byName.get(name) ?? []), path])
    }
    for (const [name, same] of byName) {
      // Four names are long enough; the whole path is told on hover.
      if (same.length > 1 && length < 4) continue
      for (const path of same) {
        names.set(path, name)
        undecided.delete(path)
      }
    }
  }
  return names
}

/** What people call a project. */
export function projectName(project: { readonly key: string; readonly path: string | null }): string {
  return project.path === null ? project.key : folderName(project.path)
}

/** Over before it came to anything. `undefined` where it was not counted. */
export function isTrivial({ status, counts }: SessionLine): boolean | undefined {
  if (counts === null) return undefined
  if (status === 'live') return false
  const answers = counts.messages - counts.prompts
  return counts.rows < 5 || (counts.rows < 10 && answers <= 0)
}
