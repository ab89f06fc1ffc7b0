import { parseQuery, type QueryNode } from '../../core/search/query.ts'
import { forksUnderOriginals } from '../../core/tree/fork-order.ts'
import { projectName } from '../format/parts/names.ts'
import { type Found, type Hit, type HitSession, keyOf, type Listed, type Row, type Scope } from './model.ts'

/** What decides which rows there are. */
export interface Wanted {
  readonly sessions: readonly Listed[]
  readonly scope: Scope
  readonly query: string
  readonly found: Found | undefined
}

/**
 * The rows of the list. Without a query the sessions as they come, forks under their originals; with one those whose title, project or id fits, and
 * then those in which the search found something, so that what it finds later never moves what is already there.
 */
export function rowsOf({ sessions, scope, query, found }: Wanted): readonly Row[] {
  const scoped = scope === 'here' ? sessions.filter((session) => session.isHere) : sessions
  const { root } = parseQuery(query)
  const hits = groupHits(found?.hits ?? [])
  const ofSession = (session: Listed) => hits.get(session.id) ?? []
  if (!root) return forksUnderOriginals(scoped).map(({ session, depth }) => ({ session, depth, hits: [] }))
  const titled = scoped.filter((session) => fits(root, wordsOf(session)))
  const isTitled = new Set(titled.map((session) => session.id))
  const known = new Map(scoped.toReversed().map((session) => [session.id, session]))
  const others = (found?.groups ?? []).flatMap((group) =>
    isTitled.has(group.session) ? [] : [known.get(group.session) ?? onlyFound(group, scope)],
  )
  others.sort(newestFirst)
  return [...titled, ...others].map((session) => ({ session, depth: 0, hits: ofSession(session) }))
}

/** A text as it is compared: without case and accents. */
export function fold(text: string): string {
  // Nearly all text is plain, and this is done for every session there is.
  return isPlain(text) ? text.toLowerCase() : text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text)
}

const foldedWords = new WeakMap<Listed, string>()

function wordsOf(session: Listed): string {
  const known = foldedWords.get(session)
  if (known !== undefined) return known
  const words = fold([session.title ?? '', projectName(session.project), session.id].join('\n'))
  foldedWords.set(session, words)
  return words
}

/** Recurses as deep as a query may be nested, which is not deep. */
function fits(node: QueryNode, words: string): boolean {
  if (node.kind === 'term') return words.includes(fold(node.text))
  if (node.kind === 'not') return !fits(node.node, words)
  return node.kind === 'and' ? node.nodes.every((one) => fits(one, words)) : node.nodes.some((one) => fits(one, words))
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
    gitBranch: null,
    costUsd: null,
    inherited: null,
    forkedFrom: null,
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
