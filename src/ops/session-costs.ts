import { deserialize, serialize } from 'node:v8'
import type { WholeFacts } from '../core/digest.ts'
import { KeySet } from '../core/key-set.ts'
import type { TextPool } from '../core/text-pool.ts'
import type { SourceEntry } from '../disk/source.ts'
import { movingLogs } from './moving-logs.ts'
import type { Context } from './op.ts'
import { pricesStamp } from './price-book.ts'
import { type CostOptions, type Costs, costsByOwner, type Spent } from './usage-costs.ts'

/** A session as far as it spent something. */
export interface SpentSession {
  readonly log: SourceEntry
  readonly own: WholeFacts
  readonly agents: readonly WholeFacts[]
}

/** What a session and its agents cost; `null` where a price is not at hand. */
export interface SessionCost {
  readonly own: number | null
  readonly agents: number | null
}

type ByOwner = Costs<string>['byOwner']

/**
 * What each session costs, by the path of its log. What the sessions at rest cost is kept; the few that are being written are
 * reckoned beside it, unless they have a response that one of the others has too: it counts once.
 */
export function sessionCosts(
  context: Context,
  sessions: readonly SpentSession[],
  { isPart }: { readonly isPart: boolean },
): (path: string) => SessionCost {
  const isKept = !isPart && context.library.remembers
  const parts = isKept ? inParts(context, sessions) : [reckon(context, sessions, { isPart }).byOwner]
  const costOf = (owner: string) => {
    const part = parts.find((costs) => costs.has(owner))
    // Who spent nothing is not among them; a cost that is not known is.
    return part ? (part.get(owner) ?? null) : 0
  }
  return (path) => ({ own: costOf(path), agents: costOf(agentsOf(path)) })
}

function inParts(context: Context, sessions: readonly SpentSession[]): readonly ByOwner[] {
  const { library } = context
  const moving = movingLogs(library)
  const logs = library.logs().filter((log) => !moving.has(log))
  const key = `costs at ${pricesStamp(context)}`
  let kept = library.recalled(key, logs)
  if (!kept) {
    const atRest = sessions.filter(({ log }) => !moving.has(log))
    kept = packCosts(reckon(context, atRest))
    library.remember(key, logs, kept)
  }
  const { byOwner, ids } = unpackCosts(kept)
  if (moving.size === 0) return [byOwner]
  const live = reckon(
    context,
    sessions.filter(({ log }) => moving.has(log)),
  )
  for (const id of live.messageIds()) if (ids.has(id)) return [reckon(context, sessions).byOwner]
  return [live.byOwner, byOwner]
}

function reckon(context: Context, sessions: readonly SpentSession[], options: CostOptions = {}): Costs<string> {
  return costsByOwner(context, spentBy(sessions), { ...options, pool: poolOf(sessions) })
}

/** Where there is only one log, its texts need not be kept twice. */
function poolOf([one, ...others]: readonly SpentSession[]): TextPool | undefined {
  return others.length === 0 && one?.agents.length === 0 ? one.own.spending.rows.pool : undefined
}

function* spentBy(sessions: readonly SpentSession[]): Iterable<Spent<string>> {
  for (const { log, own, agents } of sessions) {
    const { rows } = own.spending
    yield { owner: log.path, rows: own.hasSidechains ? rows.ofSidechains(false) : { table: rows } }
    if (own.hasSidechains) yield { owner: agentsOf(log.path), rows: rows.ofSidechains(true) }
    for (const { spending } of agents) yield { owner: agentsOf(log.path), rows: { table: spending.rows } }
  }
}

function agentsOf(file: string): string {
  return `agents of ${file}`
}

interface PackedCosts {
  readonly byOwner: ByOwner
  readonly ids: Float64Array
}

function packCosts({ byOwner, messageIds }: Costs<string>): Uint8Array {
  const packed: PackedCosts = { byOwner, ids: KeySet.of(messageIds()).keys }
  return serialize(packed)
}

function unpackCosts(bytes: Uint8Array): { readonly byOwner: ByOwner; readonly ids: KeySet } {
  const { byOwner, ids } = deserialize(bytes) as PackedCosts
  return { byOwner, ids: new KeySet(ids) }
}
