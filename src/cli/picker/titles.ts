import uFuzzy from '@leeoniya/ufuzzy'
import { parseQuery, type QueryNode, wantedTerms } from '../../core/search/query.ts'
import { projectName } from '../format/parts/names.ts'
import type { Listed } from './model.ts'

/**
 * The sessions that are called so, in the order they come: those with all of the words as parts of their title, project or id. Where there
 * is none, those that come close, with a letter missing, wrong, too many or in another place, the closest first.
 */
export function titledBy(words: string, sessions: readonly Listed[]): readonly Listed[] {
  const { root } = parseQuery(words)
  if (!root) return sessions
  const exact = sessions.filter((session) => fits(root, folded(session).name))
  return exact.length === 0 && isPlainWords(root) ? nearlyTitled(root, sessions) : exact
}

/** The words that a title which fits holds, as they are looked for. */
export function titleTerms(words: string): readonly string[] {
  return wantedTerms(parseQuery(words)).map(({ text }) => text)
}

/** A text as it is compared: without case and accents. */
export function fold(text: string): string {
  // Nearly all text is plain, and this is done for every session there is.
  return isPlain(text) ? text.toLowerCase() : text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text)
}

interface Folded {
  readonly title: string
  /** All that a session may be called by. */
  readonly name: string
}

/** Folded titles by listed session: a key press compares all of them again. */
const foldedNames = new WeakMap<Listed, Folded>()

function folded(session: Listed): Folded {
  const known = foldedNames.get(session)
  if (known) return known
  const title = fold(session.title ?? '')
  const made = { title, name: `${title}\n${fold(projectName(session.project))}\n${session.id.toLowerCase()}` }
  foldedNames.set(session, made)
  return made
}

/** Recurses as deep as a query may be nested, which is not deep. */
function fits(node: QueryNode, name: string): boolean {
  if (node.kind === 'term') return name.includes(fold(node.text))
  if (node.kind === 'not') return !fits(node.node, name)
  return node.kind === 'and' ? node.nodes.every((one) => fits(one, name)) : node.nodes.some((one) => fits(one, name))
}

/** Only words that were typed as they are may be mistyped; an OR or a `-not` says exactly what it means. */
function isPlainWords(node: QueryNode): boolean {
  return node.kind === 'term' || (node.kind === 'and' && node.nodes.every((one) => one.kind === 'term'))
}

/** One letter of each word may be wrong; the words may stand in any order. */
const fuzzy = new uFuzzy({ intraMode: 1, intraIns: 1, intraSub: 1, intraTrn: 1, intraDel: 1 })
/** More words than these are not tried in every order: there would be too many. */
const MOST_ORDERS = 4
/** More than these are too many to be what was meant, and are not put in order. */
const MOST_NEAR = 200

function nearlyTitled(node: QueryNode, sessions: readonly Listed[]): readonly Listed[] {
  const words = (node.kind === 'and' ? node.nodes : [node]).flatMap((one) => (one.kind === 'term' ? [one.text] : []))
  // Without letters of its alphabet it would take everything for near.
  if (!words.every((word) => /[a-z0-9]/.test(fold(word)))) return []
  const names = sessions.map((session) => folded(session).title)
  const anyOrder = words.length <= MOST_ORDERS ? words.length : 0
  const [, info, order] = fuzzy.search(names, fold(words.join(' ')), anyOrder, MOST_NEAR)
  return (order ?? []).flatMap((at) => sessions[info?.idx[at] ?? -1] ?? [])
}
