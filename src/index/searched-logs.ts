import { projectPath } from '../disk/library.ts'
import type { Database, Row } from './driver.ts'

/** Which records are wanted, beside what stands in them. Everything is optional. */
export interface SearchFilter {
  /** A test for the project of a log, by its folder name and the path its records name. */
  readonly inProject?: (project: Project) => boolean
  readonly session?: string
  readonly agent?: string
  readonly sinceMs?: number
  readonly untilMs?: number
  readonly role?: string
  readonly kind?: string
  readonly tool?: string
  readonly model?: string
  readonly gitBranch?: string
  /** A part of the path that a tool call is about. */
  readonly file?: string
  readonly error?: boolean
}

export interface Project {
  readonly key: string
  readonly path: string | null
}

/** A log in which something may be found, and whose it is. */
export interface SearchedLog {
  readonly id: number
  readonly root: string
  readonly path: string
  readonly state: 'disk' | 'archive' | 'lost'
  readonly project: Project
  readonly session: string
  readonly agent: string | null
  /** How far its facts and its words go. */
  readonly read: number
  /** The latest time of its records. */
  readonly endedMs: number
}

/** The logs in which something may be found; with `only` those of these. A session's agents are of its project. */
export function searchedLogs(
  database: Database,
  filter: SearchFilter = {},
  only?: readonly number[],
): ReadonlyMap<number, SearchedLog> {
  const isOne = `id in (${only?.join()})`
  const where = only ? ` where ${isOne} or agent is null and session in (select session from log where ${isOne})` : ''
  const rows = database.prepare(LOGS + where).all()
  const keyOf = ({ root, project, session }: Row) => `${root}\0${project}\0${session}`
  const mains = new Map(rows.filter(({ agent }) => agent === null).map((row) => [keyOf(row), row]))
  const { inProject, session, agent } = filter
  const isMeant = new Set(only)
  const meant = only ? rows.filter(({ id }) => isMeant.has(id as number)) : rows
  const logs = meant.map((row) => toLog(row, mains.get(keyOf(row)) ?? row))
  const wanted = logs.filter(
    (log) =>
      (session === undefined || log.session.startsWith(session)) &&
      (agent === undefined || log.agent?.startsWith(agent) === true) &&
      (inProject === undefined || inProject(log.project)),
  )
  return new Map(wanted.map((log) => [log.id, log]))
}

const LOGS = `select id, root, path, state, project, session, agent, read, cwd, relocated_cwd, ended
from log join fact on fact.log = log.id`

function toLog(row: Row, main: Row): SearchedLog {
  const key = row.project as string
  const path = projectPath(key, [main.cwd as string | null, main.relocated_cwd as string | null])
  return {
    id: row.id as number,
    root: row.root as string,
    path: row.path as string,
    state: row.state as SearchedLog['state'],
    project: { key, path },
    session: row.session as string,
    agent: row.agent as string | null,
    read: row.read as number,
    endedMs: row.ended as number,
  }
}
