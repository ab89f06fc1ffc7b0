import { parseJson } from '../core/json.ts'
import type { Database } from './driver.ts'
import { whileUnchanged } from './unchanged.ts'

/** What a log says of itself, where nothing more is needed of its session. */
export interface LogNote {
  readonly root: string
  readonly project: string
  readonly path: string
  readonly agent: string | null
  /** Whether it is a conversation, or what else. */
  readonly kind: string
  readonly cwd: string | null
  readonly relocatedCwd: string | null
  readonly firstAt: string | null
  readonly lastAt: string | null
  /** The names of its plans. */
  readonly slugs: readonly string[]
}

/** What all logs say of themselves, the newest first. */
export function logNotes(database: Database): readonly LogNote[] {
  const rows = database.prepare(NOTES).all()
  return rows.map(({ slugs, ...note }) => {
    return { ...(note as unknown as Omit<LogNote, 'slugs'>), slugs: parseJson(slugs as string) as string[] }
  })
}

const NOTES = `
select root, project, path, agent, kind, cwd, relocated_cwd as relocatedCwd, first_at as firstAt, last_at as lastAt,
  (select json_group_array(slug) from slug where slug.log = log.id) as slugs
from log join fact on fact.log = log.id where state <> 'lost' order by modified desc`

/** How many logs have vanished that only the index still knows. */
export function lostLogs(database: Database): number {
  return database.prepare("select count(*) as count from log where state = 'lost'").get()?.count as number
}

/** Whether the words of all logs are as far as their facts. */
export function areWorded(database: Database): boolean {
  const unworded = "select 1 from log where state <> 'lost' and worded_to < read limit 1"
  return whileUnchanged(database, 'are worded', () => database.prepare(unworded).get() === undefined)
}

/** The models that there are responses of. */
export function usedModels(database: Database): readonly string[] {
  const rows = database.prepare('select text from name where id in (select distinct model from bucket)').all()
  return rows.map(({ text }) => text as string)
}
