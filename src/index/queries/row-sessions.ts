import { textKey } from '../../core/facts/row-key.ts'
import type { Database } from '../driver.ts'
import type { SessionPlace } from './holdings.ts'

/** The sessions that hold rows which other logs refer to, by the uuid of the row; among copies, the one written first. */
export function sessionsOfRows(database: Database, uuids: Iterable<string>): ReadonlyMap<string, SessionPlace> {
  const statement = database.prepare(HOLDER)
  const found = new Map<string, SessionPlace>()
  for (const uuid of new Set(uuids)) {
    const row = statement.get(textKey(uuid))
    if (!row) continue
    found.set(uuid, { root: row.root as string, project: row.project as string, session: row.session as string })
  }
  return found
}

const HOLDER = `
select root, project, session from link join log on log.id = link.log where key = ? and agent is null
order by state = 'lost', modified limit 1`
