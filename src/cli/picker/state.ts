import type { Key } from './keys.ts'
import { layoutOf, type Size } from './layout.ts'
import { type Details, detailsKey, type Found, keyOf, type Listed, type Row, type Scope } from './model.ts'
import { rowsOf } from './rows.ts'

/** Everything the screen is drawn from. */
export interface State {
  readonly size: Size
  readonly query: string
  readonly scope: Scope
  /** Whether the scope was chosen, rather than taken because of what there is. */
  readonly isScopeChosen: boolean
  /** What this place is called: a repository, or just a folder. */
  readonly here: string
  readonly sessions: readonly Listed[]
  /** Whether `sessions` are all there are. */
  readonly isListed: boolean
  readonly found: Found | undefined
  /** How much of the logs the index does not know; `undefined` until it was looked at. */
  readonly behindBytes: number | undefined
  /** Whether the index gets no further: a log cannot be read. */
  readonly isIndexStuck: boolean
  readonly rows: readonly Row[]
  readonly selected: number
  /** The first row that is on the screen. */
  readonly top: number
  readonly areKeysShown: boolean
  /** Said in place of the hints until the next key. */
  readonly notice: string | undefined
  readonly details: ReadonlyMap<string, Details>
  readonly costs: ReadonlyMap<string, number | null>
}

/** Something that changes the state. */
export type Event =
  | { readonly kind: 'pressed'; readonly key: Key }
  | { readonly kind: 'resized'; readonly size: Size }
  | { readonly kind: 'listed'; readonly sessions: readonly Listed[]; readonly isAll: boolean }
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'found-in'; readonly session: string; readonly found: Found }
  | { readonly kind: 'indexed'; readonly behindBytes: number }
  | { readonly kind: 'detailed'; readonly row: Row; readonly details: Details }
  | { readonly kind: 'priced'; readonly session: Listed; readonly costUsd: number | null }
  | { readonly kind: 'told'; readonly notice: string }

/** The picker as it opens. */
export function openingState(size: Size, here: string): State {
  return {
    size,
    query: '',
    scope: 'here',
    isScopeChosen: false,
    here,
    sessions: [],
    isListed: false,
    found: undefined,
    behindBytes: undefined,
    isIndexStuck: false,
    rows: [],
    selected: 0,
    top: 0,
    areKeysShown: false,
    notice: undefined,
    details: new Map(),
    costs: new Map(),
  }
}

/** The state after an event. */
export function reduce(state: State, event: Event): State {
  switch (event.kind) {
    case 'pressed':
      return press({ ...state, notice: undefined }, event.key)
    case 'resized':
      return scrolled({ ...state, size: event.size })
    case 'listed':
      return list(state, event.sessions, event.isAll)
    case 'found':
      return found(state, event.found)
    case 'found-in':
      return foundIn(state, event.session, event.found)
    case 'indexed':
      return {
        ...state,
        behindBytes: event.behindBytes,
        isIndexStuck: state.behindBytes !== undefined && event.behindBytes >= state.behindBytes,
      }
    case 'detailed':
      return { ...state, details: new Map(state.details).set(detailsKey(event.row), event.details) }
    case 'priced':
      return { ...state, costs: new Map(state.costs).set(keyOf(event.session), event.costUsd) }
    case 'told':
      return { ...state, notice: event.notice }
  }
}

/** What a key asks the picker to do, beside changing what is shown. */
export type Act = 'read' | 'resume' | 'copy' | 'quit'

/** The act that a key stands for, if it does. */
export function actOf(state: State, key: Key): Act | undefined {
  if (key.kind === 'quit') return 'quit'
  if (state.areKeysShown) return undefined
  if (key.kind === 'escape') return state.query === '' ? 'quit' : undefined
  if (state.rows.length === 0) return undefined
  if (key.kind === 'enter') return 'read'
  return key.kind === 'resume' || key.kind === 'copy' ? key.kind : undefined
}

/** The row that is selected. */
export function selectedRow(state: State): Row | undefined {
  return state.rows[state.selected]
}

/** The rows that are on the screen. */
export function visibleRows({ rows, top, size }: State): readonly Row[] {
  return rows.slice(top, top + layoutOf(size).list)
}

/** Whether the search has answered for what is typed now. */
export function isAnswered({ found, query, scope }: State): boolean {
  return found !== undefined && found.query === query && found.scope === scope
}

/** Whether there are logs that can be found in later, but not yet. */
export function isIndexBehind({ behindBytes, isIndexStuck }: State): boolean {
  return behindBytes !== 0 && !isIndexStuck
}

function press(state: State, key: Key): State {
  const { query, selected, rows } = state
  const page = Math.max(1, layoutOf(state.size).list - 1)
  if (state.areKeysShown) {
    const isOnlyClosed = key.kind === 'escape' || (key.kind === 'text' && key.text === '?')
    return isOnlyClosed ? { ...state, areKeysShown: false } : press({ ...state, areKeysShown: false }, key)
  }
  switch (key.kind) {
    case 'text':
      return key.text === '?' && query === '' ? { ...state, areKeysShown: true } : typed(state, query + key.text)
    case 'backspace':
      return typed(state, withoutLast(query))
    case 'erase-word':
      return typed(state, query.replace(/\S*\s*$/u, ''))
    case 'clear':
    case 'escape':
      return typed(state, '')
    case 'tab':
      return asked({ ...state, scope: state.scope === 'here' ? 'all' : 'here', isScopeChosen: true, found: undefined })
    case 'up':
      return select(state, selected - 1)
    case 'down':
      return select(state, selected + 1)
    case 'page-up':
      return select(state, selected - page)
    case 'page-down':
      return select(state, selected + page)
    case 'home':
      return select(state, 0)
    case 'end':
      return select(state, rows.length - 1)
    default:
      return state
  }
}

/** The longest query that is of use to anyone; a pasted file is not. */
const LONGEST_QUERY = 400

function typed(state: State, text: string): State {
  const query = text.trimStart().slice(0, LONGEST_QUERY)
  if (query === state.query) return state
  // What was found before stays until the search has answered anew: the list would empty and fill with every letter.
  return asked({ ...state, query, found: query.trim() === '' ? undefined : state.found })
}

/** Something else is asked for: the list begins at its top again. */
function asked(state: State): State {
  return { ...state, rows: rowsOf(state), selected: 0, top: 0 }
}

function withoutLast(text: string): string {
  const characters = [...new Intl.Segmenter('en').segment(text)]
  return text.slice(0, characters.at(-1)?.index ?? 0)
}

function list(state: State, sessions: readonly Listed[], isListed: boolean): State {
  const isEmptyHere = !sessions.some((session) => session.isHere)
  const scope = state.isScopeChosen ? state.scope : isEmptyHere ? 'all' : 'here'
  return withRows({ ...state, sessions, isListed, scope })
}

/** An answer counts only for what is asked now. */
function found(state: State, answer: Found): State {
  if (answer.query !== state.query || answer.scope !== state.scope) return state
  return withRows({ ...state, found: answer, behindBytes: answer.behindBytes })
}

/** The hits of one session come to those that are at hand. */
function foundIn(state: State, session: string, answer: Found): State {
  const { found: before } = state
  if (!before || answer.query !== before.query || answer.scope !== before.scope) return state
  const hits = [...before.hits.filter((hit) => hit.session !== session), ...answer.hits]
  return withRows({ ...state, found: { ...before, hits, askedIn: new Set([...before.askedIn, session]) } })
}

/** New rows, the selection on the session it was on. */
function withRows(state: State): State {
  const rows = rowsOf(state)
  const before = selectedRow(state)
  const same = before ? rows.findIndex((row) => keyOf(row.session) === keyOf(before.session)) : -1
  // Who has not moved yet looks at the top, whatever comes to stand there.
  return select({ ...state, rows }, state.selected === 0 || same === -1 ? state.selected : same)
}

function select(state: State, wanted: number): State {
  return scrolled({ ...state, selected: wanted })
}

/** The selection inside of the list, and the list scrolled so far that it can be seen. */
function scrolled(state: State): State {
  const { rows, size } = state
  const height = Math.max(1, layoutOf(size).list)
  const selected = Math.max(0, Math.min(state.selected, rows.length - 1))
  const lowest = Math.min(selected, Math.max(0, rows.length - height))
  const top = Math.max(selected - height + 1, Math.min(state.top, lowest))
  return { ...state, selected, top }
}
