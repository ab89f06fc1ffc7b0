import { deserialize, serialize } from 'node:v8'
import type { Attributed, Copy } from '../core/counted-response.ts'
import { KeySet } from '../core/key-set.ts'
import type { TreeNode } from '../core/node.ts'
import { costOf } from '../core/price.ts'
import { timeOf } from '../core/time.ts'
import type { Library } from '../disk/library.ts'
import type { SourceEntry } from '../disk/source.ts'
import { movingLogs } from './moving-logs.ts'
import type { Context } from './op.ts'
import { pricesStamp, quickPrices } from './price-book.ts'
import { readUsage, type UsageLog, type UsageSession } from './usage-reading.ts'

/** Responses and what the priced ones among them cost. */
interface Sum {
  readonly responses: number
  readonly priced: number
  readonly usd: number
}

/** What a session spent, and what it only shows: the responses that its rows copied from another. */
interface Account {
  readonly own: Sum
  readonly agents: Sum
  readonly inherited: Sum
  /** The messages of those, as keys. */
  readonly inheritedIds: Float64Array
  /** The session that made the last of them. */
  readonly origin: string | null
  /** The time of the first row that is not copied. */
  readonly startedAt: string | null
}

/** What a session costs and inherits, as everyone is told. */
export interface SessionCosts {
  readonly costUsd: number | null
  readonly ownCostUsd: number | null
  readonly inherited: { readonly responses: number; readonly costUsd: number | null }
  readonly origin: string | null
  readonly startedAt: string | null
  readonly isInherited: (messageId: string) => boolean
}

/** By the key of a session. */
type Accounts = ReadonlyMap<string, Account>

type NamedSession = Pick<UsageSession, 'id' | 'root'> & { readonly project: { readonly key: string } }

/**
 * What each session costs. That takes all logs there are: a response counts for the session that made it. `undefined` where logs
 * would have to be read for it and may not be.
 */
export function sessionCosts(
  context: Context,
  { mayRead }: { readonly mayRead: boolean },
): ((session: NamedSession) => SessionCosts) | undefined {
  const { library } = context
  if (!mayRead && !library.logs().every((log) => isKnown(library, log))) return undefined
  const stamp = `${pricesStamp(context)} ${library.stamp()}`
  const known = recent.get(library)
  const accounts = known?.stamp === stamp ? known.accounts : (library.remembers ? inParts : inOne)(context)
  recent.set(library, { stamp, accounts })
  const find = (key: string) => accounts.find((part) => part.has(key))?.get(key) ?? NOTHING
  return (session) => toCosts(find(keyOf(session)))
}

/** What was reckoned last: an operation asks for the costs of one session several times. */
const recent = new WeakMap<Library, { readonly stamp: string; readonly accounts: readonly Accounts[] }>()

function isKnown(library: Library, log: SourceEntry): boolean {
  return library.keptDigest(log)?.whole ? true : library.glanceDigest(log) === undefined
}

function keyOf({ root, project, id }: NamedSession): string {
  return `${root}\0${project.key}\0${id}`
}

function toCosts({ own, agents, inherited, inheritedIds, origin, startedAt }: Account): SessionCosts {
  const ids = new KeySet(inheritedIds)
  return {
    costUsd: usdOf(plus(own, agents)),
    ownCostUsd: usdOf(own),
    inherited: { responses: inherited.responses, costUsd: usdOf(inherited) },
    origin,
    startedAt,
    isInherited: (messageId) => ids.has(messageId),
  }
}

/** A model whose price is not at hand makes the cost unknown, not smaller. */
function usdOf({ responses, priced, usd }: Sum): number | null {
  return priced < responses ? null : usd
}

function plus(a: Sum, b: Sum): Sum {
  return { responses: a.responses + b.responses, priced: a.priced + b.priced, usd: a.usd + b.usd }
}

function inOne(context: Context): readonly Accounts[] {
  return [reckon(context).accounts]
}

/**
 * What the sessions at rest cost is kept; the few that are being written are reckoned beside it, unless they have a response that
 * one of the others has too: it counts once.
 */
function inParts(context: Context): readonly Accounts[] {
  const { library } = context
  const moving = movingLogs(library)
  const logs = library.logs().filter((log) => !moving.has(log))
  const key = `costs at ${pricesStamp(context)}`
  let kept = library.recalled(key, logs)
  if (!kept) {
    const { accounts, ids } = reckon(context, (log) => !moving.has(log))
    kept = serialize({ accounts, ids: KeySet.of(ids()).keys } satisfies PackedAccounts)
    library.remember(key, logs, kept)
  }
  const { accounts, ids } = deserialize(kept) as PackedAccounts
  if (moving.size === 0) return [accounts]
  const live = reckon(context, (log) => moving.has(log))
  const atRest = new KeySet(ids)
  for (const id of live.ids()) if (atRest.has(id)) return inOne(context)
  return [live.accounts, accounts]
}

interface PackedAccounts {
  readonly accounts: Accounts
  readonly ids: Float64Array
}

const NO_SUM: Sum = { responses: 0, priced: 0, usd: 0 }
const NOTHING: Account = {
  own: NO_SUM,
  agents: NO_SUM,
  inherited: NO_SUM,
  inheritedIds: new Float64Array(),
  origin: null,
  startedAt: null,
}

interface Draft {
  own: Sum
  agents: Sum
  inherited: Sum
  readonly inheritedIds: string[]
  /** Of the session's own log the last response that it inherited, and the log that owns it. */
  last: { readonly copy: Copy<UsageLog>; readonly from: UsageLog } | undefined
}

function reckon(context: Context, wants: (log: SourceEntry) => boolean = () => true) {
  const { library } = context
  const { counted, sessions, logs } = readUsage(context, library, { wants })
  const { priceOf } = quickPrices(context)
  const drafts = new Map<UsageSession, Draft>()
  const draftOf = (session: UsageSession) => {
    const draft: Draft = drafts.get(session) ?? { ...NO_DRAFT, inheritedIds: [] }
    drafts.set(session, draft)
    return draft
  }
  for (const response of counted) {
    const { kept, first, owner } = response
    const price = priceOf(kept.model, timeOf(first.timestamp) ?? '')
    const sum = { responses: 1, priced: price ? 1 : 0, usd: price ? costOf(kept, price) : 0 }
    const draft = draftOf(owner.session)
    const part = owner.agent !== null || first.isSidechain ? 'agents' : 'own'
    draft[part] = plus(draft[part], sum)
    inherit(response, sum, draftOf)
  }
  const forked = sessions.filter((session) => drafts.get(session)?.last || session.forkedFrom !== null)
  const mains = new Map(logs.flatMap((log) => (log.agent === null ? [[log.session, log.file] as const] : [])))
  const entries = new Map(library.logs().map((entry) => [entry.path, entry]))
  const startedAt = new Map(
    forked.map((session) => [session, firstOwnTime(library, entries, mains.get(session), drafts.get(session)?.last)]),
  )
  const accounts = new Map(
    sessions.map((session) => {
      const { last, inheritedIds, ...sums } = draftOf(session)
      const origin = last && last.from.session.id !== session.id ? last.from.session.id : null
      const keys = KeySet.of(inheritedIds).keys
      return [keyOf(session), { ...sums, inheritedIds: keys, origin, startedAt: startedAt.get(session) ?? null }]
    }),
  )
  function* ids(): Iterable<string> {
    for (const { messageId } of counted) yield messageId
  }
  return { accounts, ids }
}

const NO_DRAFT = { own: NO_SUM, agents: NO_SUM, inherited: NO_SUM, last: undefined }

/** Notes a response for the other sessions that show it. */
function inherit(response: Attributed<UsageLog>, sum: Sum, draftOf: (session: UsageSession) => Draft): void {
  const others = new Map(response.copies.map((copy) => [copy.owner.session, copy]))
  others.delete(response.owner.session)
  for (const session of others.keys()) {
    const draft = draftOf(session)
    draft.inherited = plus(draft.inherited, sum)
    draft.inheritedIds.push(response.messageId)
  }
  for (const copy of response.copies) {
    const { session, agent } = copy.owner
    if (agent !== null || session === response.owner.session) continue
    const draft = draftOf(session)
    if (!draft.last || offsetOf(draft.last.copy) < offsetOf(copy)) draft.last = { copy, from: response.owner }
  }
}

function offsetOf({ first: { table, row } }: Copy<UsageLog>): number {
  return table.view(row).place.offset
}

/** When a fork's first own row was written: one that is not marked as a copy, and that its origin does not have. */
function firstOwnTime(
  library: Library,
  entries: ReadonlyMap<string, SourceEntry>,
  file: string | undefined,
  last: Draft['last'],
): string | null {
  const entry = entries.get(file ?? '')
  const nodes = entry && library.facts(entry)?.facts.nodes
  if (!nodes) return null
  const origin = last && entries.get(last.from.file)
  const theirs = origin && library.digest(origin)?.whole?.uuids
  const from = last ? offsetOf(last.copy) : -1
  const messageId = last?.copy.first.table.view(last.copy.first.row).messageId
  const isOwn = (node: TreeNode) => !node.isSidechain && node.forkedFrom === null && !theirs?.has(node.uuid)
  for (let row = 0; row < nodes.length; row++) {
    if (nodes.offsetAt(row) <= from) continue
    const node = nodes.at(row) as TreeNode
    const time = isOwn(node) && node.messageId !== messageId ? timeOf(node.timestamp ?? '') : undefined
    if (time !== undefined) return time
  }
  // Nothing was said in it yet: it was made when its last copy was written.
  const writtenAt = last?.copy.first.table.holdingAt(last.copy.first.row).writtenAt ?? 0
  return writtenAt > 0 ? new Date(writtenAt).toISOString() : null
}
