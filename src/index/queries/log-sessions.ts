import type { Database, Row } from '../driver.ts'
import { familyKey } from './family-key.ts'

/** Resolves which session a log belongs to, from its row (`id`, `session`) in the table `log`. */
export interface LogSessions {
  (log: Row): string
  /** True if some agent logs name a session that has no log of that name. */
  readonly hasUnnamed: boolean
}

/**
 * Reads which session each log belongs to. A flat agent log names its session in its records; where no log has that
 * name, it belongs to the session whose first records contain that id.
 */
export function readLogSessions(database: Database): LogSessions {
  const unnamed = database.prepare(UNNAMED).all()
  const byInnerId = new Map<string, string>()
  for (const { root, project, session, inner } of unnamed.length > 0 ? database.prepare(INNER_IDS).all() : [])
    byInnerId.set(familyKey(root as string, project as string, inner as string), session as string)
  const found = new Map(
    unnamed.map(({ id, root, project, session }) => [
      id,
      byInnerId.get(familyKey(root as string, project as string, session as string)),
    ]),
  )
  const sessionOf = ({ id, session }: Row) => found.get(id as number) ?? (session as string)
  return Object.assign(sessionOf, { hasUnnamed: unnamed.length > 0 })
}

/** SQL condition: agent logs whose session has no log of its own. */
export const IS_UNNAMED = `agent is not null and (session, project, root) not in
  (select session, project, root from log join fact on fact.log = log.id where agent is null)`

const UNNAMED = `select id, root, project, session from log where ${IS_UNNAMED}`

/** The family keys of sessions whose first records contain an id that starts with `start`. */
export function sessionsNaming(database: Database, start: string): ReadonlySet<string> {
  const named = database.prepare(INNER_IDS).all()
  const matching = named.filter(({ inner }) => (inner as string).startsWith(start))
  return new Set(matching.map((row) => familyKey(row.root as string, row.project as string, row.session as string)))
}

/** The newest existing log comes last, and wins. */
const INNER_IDS = `
select log.root, project, session, named.value as inner
from log join fact on fact.log = log.id join json_each(inner_ids) named where agent is null
order by state <> 'lost', modified`
