import { projectPath } from '../disk/library.ts'
import type { Row } from '../index/driver.ts'
import type { History } from './history.ts'

/** What the sessions of a project tell about it. */
export interface ProjectInfo {
  readonly path: string | null
  readonly firstAt: string | null
  readonly lastAt: string | null
}

/** What is known of each project that has a session, asked by its root and its key. */
export function projectInfos(history: History): (root: string, key: string) => ProjectInfo {
  const projects = new Map<string, Row[]>()
  for (const row of history.tables().prepare(SESSIONS).all()) {
    const name = `${row.root}\0${row.project}`
    projects.set(name, [...(projects.get(name) ?? []), row])
  }
  return (root, key) => {
    const rows = projects.get(`${root}\0${key}`) ?? []
    const told = (...columns: readonly string[]) =>
      rows.flatMap((row) => columns.map((name) => row[name] as string | null))
    const times = told('first_at', 'last_at')
      .filter((time) => time !== null)
      .sort()
    return {
      path: projectPath(key, told('cwd', 'relocated_cwd')),
      firstAt: times[0] ?? null,
      lastAt: times.at(-1) ?? null,
    }
  }
}

const SESSIONS = `
select root, project, cwd, relocated_cwd, first_at, last_at from log join fact on fact.log = log.id
where agent is null and state <> 'lost' order by modified desc`
