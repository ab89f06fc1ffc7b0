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

/** What is known of each project that has a session, asked by its root and its key. */
export function projectInfos(history: History): (root: string, key: string) => ProjectInfo {
  const own = history
    .ask()
    .logs()
    .filter(({ agent }) => agent === null)
  const projects = grouped(own, ({ root, project }) => `${root}\0${project}`)
  return (root, key) => {
    const logs = projects.get(`${root}\0${key}`) ?? []
    const times = logs
      .flatMap(({ firstAt, lastAt }) => [firstAt, lastAt])
      .filter((time) => time !== null)
      .sort()
    return {
      path: projectPath(
        key,
        logs.flatMap(({ cwd, relocatedCwd }) => [cwd, relocatedCwd]),
      ),
      firstAt: times[0] ?? null,
      lastAt: times.at(-1) ?? null,
      conversations: new Set(logs.flatMap(({ kind, path }) => (kind === 'conversation' ? [path] : []))),
    }
  }
}
