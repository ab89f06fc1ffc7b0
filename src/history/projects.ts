import { grouped } from '../core/grouped.ts'
import { projectPath } from '../disk/library.ts'
import type { History } from './history.ts'

/** What the sessions of a project tell about it. */
export interface ProjectInfo {
  readonly path: string | null
  readonly firstAt: string | null
  readonly lastAt: string | null
  /** The logs that are conversations: what lists count as sessions. */
  readonly conversations: ReadonlySet<string>
}

/** Reads what is known of the projects; the result looks one up by root and key. */
export async function projectInfos(history: History): Promise<(root: string, key: string) => ProjectInfo> {
  const logs = await (await history.refresh()).sessions.logs()
  const own = logs.filter(({ agent }) => agent === null)
  const projects = grouped(own, ({ root, project }) => `${root}\0${project}`)
  return (root, key) => {
    const inside = projects.get(`${root}\0${key}`) ?? []
    const times = inside
      .flatMap(({ firstAt, lastAt }) => [firstAt, lastAt])
      .filter((time) => time !== null)
      .sort()
    return {
      path: projectPath(
        key,
        inside.flatMap(({ cwd, relocatedCwd }) => [cwd, relocatedCwd]),
      ),
      firstAt: times[0] ?? null,
      lastAt: times.at(-1) ?? null,
      conversations: new Set(inside.flatMap(({ kind, path }) => (kind === 'conversation' ? [path] : []))),
    }
  }
}
