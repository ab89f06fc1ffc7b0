import type { Database } from '../driver.ts'
import { readLogSessions } from './log-sessions.ts'

/** What a log says about itself. */
export interface LogNote {
  readonly root: string
  readonly project: string
  readonly path: string
  /** The session it belongs to. */
  readonly session: string
  readonly agent: string | null
  /** `conversation`, or another kind of log. */
  readonly kind: string
  readonly cwd: string | null
  readonly relocatedCwd: string | null
  readonly firstAt: string | null
  readonly lastAt: string | null
  /** Modification time, in milliseconds. */
  readonly writtenAt: number
  /** Names of its plans. */
  readonly slugs: readonly string[]
}

/** All logs that exist, newest first. */
export function logNotes(database: Database): readonly LogNote[] {
  const sessionOf = readLogSessions(database)
  const slugs = new Map<number, string[]>()
  for (const { log, slug } of database.prepare('select log, slug from slug').all()) {
    const own = slugs.get(log as number)
    if (own) own.push(slug as string)
    else slugs.set(log as number, [slug as string])
  }
  return database
    .prepare(NOTES)
    .all()
    .map((row) => ({
      root: row.root as string,
      project: row.project as string,
      path: row.path as string,
      session: sessionOf(row),
      agent: row.agent as string | null,
      kind: row.kind as string,
      cwd: row.cwd as string | null,
      relocatedCwd: row.relocatedCwd as string | null,
      firstAt: row.firstAt as string | null,
      lastAt: row.lastAt as string | null,
      writtenAt: row.writtenAt as number,
      slugs: slugs.get(row.id as number) ?? NO_SLUGS,
    }))
}

const NO_SLUGS: readonly string[] = []

const NOTES = `
select id, root, project, path, session, agent, kind, cwd, relocated_cwd as relocatedCwd, first_at as firstAt,
  last_at as lastAt, cast(modified as int) as writtenAt
from log join fact on fact.log = log.id where state <> 'lost' order by modified desc`

/** Number of logs that vanished and that only the index still knows. */
export function lostLogs(database: Database): number {
  return database.prepare("select count(*) as count from log where state = 'lost'").get()?.count as number
}

/** Whether the text of all logs is indexed as far as their facts. */
export function isTextIndexed(database: Database): boolean {
  return database.prepare("select 1 from log where state <> 'lost' and worded_to < read limit 1").get() === undefined
}

/** The models of all responses. */
export function usedModels(database: Database): readonly string[] {
  const rows = database.prepare('select text from name where id in (select distinct model from bucket)').all()
  return rows.map(({ text }) => text as string)
}
