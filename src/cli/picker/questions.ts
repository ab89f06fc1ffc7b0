import type { Answers } from './answers.ts'
import { type Details, detailsKey, keyOf, type Listed, nothingFound, type Row, shownHits } from './model.ts'
import { type Event, isAnswered, isAsking, isIndexBehind, type State, selectedRow, visibleRows } from './state.ts'
import type { Thread } from './thread.ts'

/** What should be known next, and how long to wait for another key first. */
export type Wanted =
  | { readonly kind: 'list'; readonly waitMs: number }
  | { readonly kind: 'search'; readonly waitMs: number }
  | { readonly kind: 'hits'; readonly waitMs: number; readonly session: string; readonly most: number }
  | { readonly kind: 'details'; readonly waitMs: number; readonly row: Row; readonly file: string }
  | { readonly kind: 'index'; readonly waitMs: number }
  | { readonly kind: 'price'; readonly waitMs: number; readonly session: Listed; readonly file: string }

/** The most important thing that is not known yet; nothing when all of the screen is. */
export function nextQuestion(state: State): Wanted | undefined {
  if (!state.isListed) return { kind: 'list', waitMs: 0 }
  if (isAsking(state) && !isAnswered(state)) return { kind: 'search', waitMs: 80 }
  const row = selectedRow(state)
  const most = isAsking(state) && row ? missingHits(state, row) : undefined
  if (row && most !== undefined) return { kind: 'hits', waitMs: 30, session: row.session.id, most }
  const file = row?.session.file
  if (row && file && !state.details.has(detailsKey(row))) return { kind: 'details', waitMs: 30, row, file }
  // The index has come further since: there may be more to find.
  const { found, behindBytes = 0 } = state
  if (isAsking(state) && found && behindBytes < found.behindBytes) return { kind: 'search', waitMs: 80 }
  for (const { session } of visibleRows(state)) {
    const isKnown = session.costUsd !== null || state.costs.has(keyOf(session))
    if (session.file !== null && !isKnown) return { kind: 'price', waitMs: 100, session, file: session.file }
  }
  return isIndexBehind(state) ? { kind: 'index', waitMs: 200 } : undefined
}

/** How many hits of one session are asked for first, and how many more each time the last of them is near. */
const FIRST_HITS = 100
const NEAR_END = 20

/** How many of the selected session's hits to ask for, where none or too few are at hand: others had newer ones. */
function missingHits({ found, unfolded }: State, { session, hits, at, count }: Row): number | undefined {
  if (!found || hits.length >= count) return undefined
  const asked = found.askedIn.get(session.id) ?? 0
  // So many were asked for and fewer came: there are no more.
  if (asked > hits.length) return undefined
  const isNearEnd = unfolded === session.id && (at ?? 0) >= hits.length - NEAR_END
  return hits.length === 0 || isNearEnd ? Math.max(FIRST_HITS, asked * 2) : undefined
}

const NO_DETAILS: Details = { firstPrompt: null, lastAnswer: null, places: [] }

/** Asks the thread, and gives what happened. A question that cannot be answered is not asked again. */
export async function ask(thread: Thread, wanted: Wanted, state: State): Promise<readonly Event[]> {
  try {
    return [await answer(thread, wanted, state)]
  } catch (error) {
    const notice = error instanceof Error ? error.message : String(error)
    return [...withoutAnswer(wanted, state), { kind: 'told', notice }]
  }
}

async function answer(thread: Thread, wanted: Wanted, { line, scope }: State): Promise<Event> {
  const query = line.text
  switch (wanted.kind) {
    case 'list':
      return { kind: 'listed', sessions: await thread.ask('list', null), isAll: true }
    case 'search':
      return { kind: 'found', found: await thread.ask('search', { query, scope }) }
    case 'hits': {
      const { session, most } = wanted
      const found = await thread.ask('search', { query, scope, session, most })
      return { kind: 'found-in', session, asked: most, found }
    }
    case 'index':
      return { kind: 'indexed', behindBytes: await thread.ask('index', null) }
    case 'details': {
      const { row, file } = wanted
      return { kind: 'detailed', row, details: (await askDetails(thread, row, file)) ?? NO_DETAILS }
    }
    case 'price':
      return {
        kind: 'priced',
        session: wanted.session,
        costUsd: await thread.ask('price', { file: wanted.file }),
      }
  }
}

/** The details of a row. */
export function askDetails(thread: Thread, row: Row, file: string): Promise<Awaited<ReturnType<Answers['details']>>> {
  return thread.ask('details', { file, hits: shownHits(row) })
}

function withoutAnswer(wanted: Wanted, { line, scope, sessions }: State): readonly Event[] {
  const query = line.text
  switch (wanted.kind) {
    case 'list':
      return [{ kind: 'listed', sessions, isAll: true }]
    case 'search':
      return [{ kind: 'found', found: nothingFound(query, scope) }]
    case 'hits':
      return [{ kind: 'found-in', session: wanted.session, asked: wanted.most, found: nothingFound(query, scope) }]
    case 'index':
      return [{ kind: 'indexed', behindBytes: 0 }]
    case 'details':
      return [{ kind: 'detailed', row: wanted.row, details: NO_DETAILS }]
    case 'price':
      return [{ kind: 'priced', session: wanted.session, costUsd: null }]
  }
}
