import { type OwnerRule, ownerRule } from '../core/facts/owner.ts'
import { grouped } from '../core/grouped.ts'
import type { UsageRow } from '../core/usage/usage.ts'
import { UsageFold } from '../core/usage/usage-fold.ts'
import type { History } from './history.ts'
import type { BilledSpending } from './usage/usage.ts'

/** The rows that a response was seen on, in all logs. */
export interface SeenRows {
  readonly rows: readonly UsageRow[]
  /** The row whose numbers count. */
  readonly kept: UsageRow | undefined
  /** The row that gives its time and its session. */
  readonly first: UsageRow | undefined
  /** Why a log has only a copy. */
  readonly ruleOf: (file: string) => OwnerRule
}

/** Reads the rows of responses from all logs that hold them. */
export async function readSeenRows(history: History, calls: readonly BilledSpending[]): Promise<readonly SeenRows[]> {
  const { library } = history
  const queries = await history.refresh()
  const holders = await queries.spending.holders(calls.flatMap(({ call }) => call?.key ?? []))
  const entries = library.entries()
  const logs = new Set([...holders.values()].flat().map(({ path }) => path))
  await history.fetchLogs([...logs].map((path) => entries.get(path)))
  const known = new Map<string, ReadonlyMap<string, readonly UsageRow[]>>()
  const rowsIn = (path: string) => {
    const entry = entries.get(path)
    const used = known.has(path) ? [] : ((entry && library.facts(entry)?.facts.usage) ?? [])
    const rows = known.get(path) ?? grouped(used, ({ messageId }) => messageId)
    known.set(path, rows)
    return rows
  }
  return calls.map((one) => {
    const held = holders.get(one.call?.key ?? -1) ?? []
    const rows = held.flatMap(({ path, request }) =>
      (rowsIn(path).get(one.call?.messageId ?? '') ?? []).filter(
        (row) => row.requestId === '' || row.requestId === (request ?? ''),
      ),
    )
    const fold = new UsageFold()
    for (const row of rows) fold.add(row)
    const first = rows.find(({ place }) => place.file === one.file && place.offset === one.call?.offset)
    const [owner, ...others] = held.map(({ evidence }) => evidence)
    const ruleOf = (file: string) => {
      const copy = others.find((other) => other.log.path === file)
      return owner && copy ? ownerRule(owner, copy) : 'rest'
    }
    return { rows, first, kept: fold.responses()[0]?.kept, ruleOf }
  })
}
