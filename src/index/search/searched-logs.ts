import { projectPath } from '../../disk/library.ts'
import { type Database, type Query, type Row, selectAll } from '../driver.ts'

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
  /** Its docs stand in the order of their times, each with its own, and no two are copies. */
  readonly isOrderly: boolean
}

/** The logs in which something may be found; with `only` those of these. A session's agents are of its project. */
export function searchedLogs(
  database: Database,
  filter: SearchFilter = {},
  only?: readonly number[],
): ReadonlyMap<number, SearchedLog> {
  const logs = readLogs(database, only)
  const { inProject, session, agent } = filter
  const wanted = logs.filter(
    (log) =>
      (session === undefined || log.session.startsWith(session)) &&
      (agent === undefined || log.agent?.startsWith(agent) === true) &&
      (inProject === undefined || inProject(log.project)),
  )
  return new Map(wanted.map((log) => [log.id, log]))
}

function readLogs(database: Database, only?: readonly number[]): readonly SearchedLog[] {
  const rows = only ? selectAll(database, SOME, JSON.stringify(only)) : selectAll(database, ALL)
  const keyOf = ({ root, project, session }: Row) => `${root}\0${project}\0${session}`
  const mains = new Map(rows.filter(({ agent }) => agent === null).map((row) => [keyOf(row), row]))
  const isMeant = new Set(only)
  const meant = only ? rows.filter(({ id }) => isMeant.has(id as number)) : rows
  return meant.map((row) => toLog(row, mains.get(keyOf(row)) ?? row))
}

const ALL: Query = {
  columns: [
    'id',
    'root',
    'path',
    'state',
    'project',
    'session',
    'agent',
    'read',
    'cwd',
    'relocated_cwd',
    'ended',
    'orderly',
  ],
  from: 'log join fact on fact.log = log.id',
}
const SOME: Query = {
  columns: ALL.columns,
  from: `${ALL.from} where id in (select value from json_each(?1))
    or agent is null and session in (select session from log where id in (select value from json_each(?1)))`,
}

/** The logs that ended last, so many at most, and when the first of them did. */
export function latestLogs(
  database: Database,
  most: number,
): { readonly ids: readonly number[]; readonly endedMs: number } {
  const rows = selectAll(database, LATEST, most)
  return {
    ids: rows.map(({ id }) => id as number),
    endedMs: Math.min(...rows.map(({ ended }) => ended as number)),
  }
}

const LATEST: Query = {
  columns: ['id', 'ended'],
  from: '(select log as id, ended from fact order by ended desc, log desc limit ?)',
}

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
    isOrderly: row.orderly === 1,
  }
}
