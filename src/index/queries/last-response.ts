import type { Database } from '../driver.ts'

/** What the last response of a log was given: all that stood in the model's window. */
export interface LastResponse {
  readonly model: string
  readonly windowTokens: number
}

/** The last response of a log that no agent inside it made; `undefined` where there is none. */
export function lastResponse(database: Database, path: string): LastResponse | undefined {
  const row = database.prepare(LAST).get(path)
  return row && { model: row.model as string, windowTokens: row.tokens as number }
}

const LAST = `
select m.text as model, r.input + r.cache_read + r.write_5m + r.write_1h as tokens
from response r join name m on m.id = r.model
where r.log = (select id from log where path = ?) and r.sidechain = 0 and r.abandoned = 0
order by r.last_offset desc limit 1`
