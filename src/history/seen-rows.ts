import { type OwnerRule, ownerRule } from '../core/facts/owner.ts'
import { grouped } from '../core/grouped.ts'
import type { UsageRow } from '../core/usage/usage.ts'
import { UsageFold } from '../core/usage/usage-fold.ts'
import { hasSqlite } from '../index/driver.ts'
import type { Holder } from '../index/holdings.ts'
import type { History } from './history.ts'
import type { Holdings } from './questions.ts'
import type { BilledSpending } from './usage/usage.ts'

/** The rows that a response was seen on, in all logs. */
export interface SeenRows {
  readonly rows: readonly UsageRow[]
  /** The row whose numbers count. */
  readonly kept: UsageRow | undefined
  /** The row that says when it was, and in which session. */
  readonly first: UsageRow | undefined
  /** Why a log has only a copy. */
  readonly ruleOf: (file: string) => OwnerRule
}

/** Finds the rows of responses again, in the logs that hold them. */
export function rowFinder(history: History): (one: BilledSpending) => SeenRows {
  const { library } = history
  const entries = new Map(library.logs().map((entry) => [entry.path, entry]))
  // Without SQLite nothing is known of other logs than those of the session.
  const holdersOf: (one: BilledSpending) => readonly Partial<Holder>[] = hasSqlite()
    ? byKey(history.ask().holdings())
    : ({ call }) => [...entries.keys()].map((path) => ({ path, request: call?.requestId ?? null }))
  const known = new Map<string, ReadonlyMap<string, readonly UsageRow[]>>()
  const rowsIn = (path: string) => {
    const entry = entries.get(path)
    const used = entry && library.facts(entry)?.facts.usage
    const rows = known.get(path) ?? grouped(used ?? [], ({ messageId }) => messageId)
    known.set(path, rows)
    return rows
  }
  return (one) => {
    const holders = holdersOf(one)
    const rows = holders.flatMap(({ path = '', request }) =>
      (rowsIn(path).get(one.call?.messageId ?? '') ?? []).filter(
        (row) => row.requestId === '' || row.requestId === (request ?? ''),
      ),
    )
    const fold = new UsageFold()
    for (const row of rows) fold.add(row)
    const first = rows.find(({ place }) => place.file === one.file && place.offset === one.call?.offset)
    const [owner, ...others] = holders.map(({ evidence }) => evidence)
    const ruleOf = (file: string) => {
      const copy = others.find((other) => other?.log.path === file)
      return owner && copy ? ownerRule(owner, copy) : 'rest'
    }
    return { rows, first, kept: fold.responses()[0]?.kept, ruleOf }
  }
}

function byKey({ holders }: Holdings): (one: BilledSpending) => readonly Holder[] {
  return ({ call }) => holders(call?.key ?? -1)
}

/** The responses that a log holds and another owns. */
export function heldBy(history: History, file: string, calls: readonly BilledSpending[]): readonly BilledSpending[] {
  const keys = history.ask().holdings().inheritedBy(file)
  return calls.filter(({ call }) => call !== null && keys.has(call.key))
}
