import { forksUnderOriginals } from '../../core/tree/fork-order.ts'
import { askedBy, isOfRows } from './filters.ts'
import { type Found, type Hit, type HitSession, keyOf, type Listed, type Row, type Scope } from './model.ts'
import { titledBy } from './titles.ts'

/** What decides which rows there are. */
export interface Wanted {
  readonly sessions: readonly Listed[]
  readonly scope: Scope
  readonly query: string
  readonly found: Found | undefined
  /** The session whose hits stand below it. */
  readonly unfolded: string | undefined
}

/**
 * The rows of the list, forks under their originals. Without words the sessions as they come; with some those whose title, project or id fits, and
 * then those in which the search found something, so that what it finds later never moves what is already there.
 */
export function rowsOf({ sessions, scope, query, found, unfolded }: Wanted): readonly Row[] {
  const { words, filters } = askedBy(query)
  const fitting = filters.length > 0 ? found?.fitting : undefined
  const scoped = sessions.filter(({ id, isHere }) => (scope === 'all' || isHere) && (!fitting || fitting.has(id)))
  if (words.trim() === '') return rowsFor(scoped, () => [], new Map(), unfolded)
  const titled = filters.some(isOfRows) ? [] : titledBy(words, scoped)
  const groups = (found?.groups ?? []).filter(({ session }) => !fitting || fitting.has(session))
  const others = sessionsOf(groups, scoped, scope, new Set(titled.map((session) => session.id)))
  const hits = groupHits(found?.hits ?? [])
  // Copies are counted where they stand and found once: who has all that was found knows better.
  const hasAll = found !== undefined && found.hits.length >= found.total
  const isAll = (id: string) => hasAll || (found?.askedIn.get(id) ?? 0) > (hits.get(id)?.length ?? 0)
  const counts = new Map(groups.map(({ session, count }) => [session, isAll(session) ? 0 : count]))
  return rowsFor([...titled, ...others], ({ id }) => hits.get(id) ?? [], counts, unfolded)
}

function rowsFor(
  sessions: readonly Listed[],
  hitsOf: (session: Listed) => readonly Hit[],
  counts: ReadonlyMap<string, number>,
  unfolded: string | undefined,
): readonly Row[] {
  return forksUnderOriginals(sessions).flatMap(({ session, depth }) => {
    const hits = hitsOf(session)
    const row = { session, depth, hits, count: Math.max(hits.length, counts.get(session.id) ?? 0) }
    const below = session.id === unfolded ? hits.map((_, at) => ({ ...row, at })) : []
    return [{ ...row, at: null }, ...below]
  })
}

/** The sessions that something was found in, the newest first as the list is, without those that stand there already. */
function sessionsOf(
  groups: readonly HitSession[],
  listed: readonly Listed[],
  scope: Scope,
  isTaken: ReadonlySet<string>,
): readonly Listed[] {
  const left = new Map(groups.filter(({ session }) => !isTaken.has(session)).map((group) => [group.session, group]))
  // `delete` says whether it was there: of logs with the same id, the newest is taken.
  const known = listed.filter(({ id }) => left.delete(id))
  return left.size === 0
    ? known
    : [...known, ...[...left.values()].map((group) => onlyFound(group, scope))].sort(newestFirst)
}

/** The hits of each session, the telling ones first and those the newest first. */
function groupHits(hits: readonly Hit[]): ReadonlyMap<string, readonly Hit[]> {
  const groups = new Map<string, Hit[]>()
  for (const hit of hits) {
    const group = groups.get(hit.session)
    if (group) group.push(hit)
    else groups.set(hit.session, [hit])
  }
  for (const group of groups.values()) group.sort((a, b) => rank(a) - rank(b))
  return groups
}

/** What was said in the conversation itself tells more than what tools and agents wrote. */
function rank({ agent, kind }: Hit): number {
  if (kind === 'title' || kind === 'system') return 3
  if (agent !== null) return 2
  return kind === 'prompt' || kind === 'text' ? 0 : 1
}

/** A session that only the index still knows. */
function onlyFound({ session, project, newest }: HitSession, scope: Scope): Listed {
  return {
    id: session,
    file: null,
    project,
    title: null,
    kind: 'gone',
    status: 'finished',
    createdAt: null,
    updatedAt: newest,
    activeMs: null,
    gitBranch: null,
    costUsd: null,
    inherited: null,
    forkedFrom: null,
    expiresAt: null,
    kept: false,
    starred: false,
    tags: [],
    isHere: scope === 'here',
    isArchived: false,
  }
}

/** The newest first, as the list has them. */
export function newestFirst(a: Listed, b: Listed): number {
  const [x, y] = [a.updatedAt ?? '', b.updatedAt ?? '']
  if (x !== y) return x < y ? 1 : -1
  return keyOf(a) < keyOf(b) ? -1 : 1
}
