import { RESPONSE_NUMBERS } from '../../core/facts/response-rows.ts'
import type { SourceEntry } from '../../disk/source.ts'
import type { Row, SqlValue } from '../driver.ts'
import type { LogRows } from '../log-rows.ts'
import { type Holder, toHolding } from './holdings.ts'
import { type SpentTokens, toResponse } from './spending.ts'

/** Reads the table rows of a log, without an index. */
export type ReadLog = (log: SourceEntry, agent: string | null) => LogRows | undefined

/** The responses of some logs. One that two logs hold counts once, with the numbers of the row with the most output. */
export function readResponses(
  some: readonly { readonly id: number; readonly log: SourceEntry }[],
  read: ReadLog,
): { readonly spent: readonly SpentTokens[]; readonly holders: ReadonlyMap<number, readonly Holder[]> } {
  const byMessage = new Map<string, Row[]>()
  for (const { id, log } of some) {
    for (const row of responsesOf(read(log, null), id, log.path)) {
      const held = byMessage.get(row.message as string)
      if (held) held.push(row)
      else byMessage.set(row.message as string, [row])
    }
  }
  const all = [...byMessage.values()].map((held, key) => {
    const most = held.reduce((kept, row) => (Number(kept.output) < Number(row.output) ? row : kept))
    return { key, most, held }
  })
  return {
    spent: all.map(({ key, most }) => toResponse({ ...most, key })),
    holders: new Map(
      all.map(({ key, held }) => [
        key,
        held.map((row) => ({
          path: row.path as string,
          request: row.request as string | null,
          evidence: toHolding(row),
        })),
      ]),
    ),
  }
}

/** The responses of a log with the columns of the table `response`. */
function responsesOf(rows: LogRows | undefined, log: number, path: string): readonly Row[] {
  if (!rows) return []
  const { messages, requests, models, geos, numbers } = rows.responses
  return messages.map((message, at) => {
    const own = numbers.subarray(at * RESPONSE_NUMBERS.length, (at + 1) * RESPONSE_NUMBERS.length)
    const row: Record<string, SqlValue> = Object.fromEntries(
      RESPONSE_NUMBERS.map((name, column) => [name, Number.isNaN(own[column]) ? null : (own[column] as number)]),
    )
    const named = { message, request: requests[at] ?? null, model: models[at] ?? '', geo: geos[at] ?? null }
    const evidence = { ended: rows.fact.ended, head: rows.fact.head }
    return {
      ...row,
      ...named,
      ...evidence,
      log,
      path,
      at: row.time ?? null,
      copies: 0,
      placeholders: row.placeholder ?? 0,
    }
  })
}
