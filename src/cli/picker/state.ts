import type { Key } from './keys.ts'
import { layoutOf, type Size } from './layout.ts'
import { EMPTY_LINE, edit, insert, isLineEdit, type Line } from './line.ts'
import { type Details, type Found, keyOf, type Listed, type Row, type Scope } from './model.ts'
import { rowsOf } from './rows.ts'

/** Everything the screen is drawn from. */
export interface State {
  readonly size: Size
  /** What is typed. */
  readonly line: Line
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
  /** The session whose hits stand below it. */
  readonly unfolded: string | undefined
  readonly rows: readonly Row[]
  readonly selected: number
  /** The first row that is on the screen. */
  readonly top: number
  readonly areKeysShown: boolean
  /** The new title that is being typed, and whose it is. */
  readonly renaming: Renaming | undefined
  /** Said in place of the hints until the next key. */
  readonly notice: string | undefined
  readonly details: ReadonlyMap<string, Details>
  readonly costs: ReadonlyMap<string, number | null>
}

interface Renaming {
  readonly session: Listed
  readonly line: Line
}

/** Something that changes the state. */
export type Event =
  | { readonly kind: 'pressed'; readonly key: Key }
  | { readonly kind: 'resized'; readonly size: Size }
  | { readonly kind: 'listed'; readonly sessions: readonly Listed[]; readonly isAll: boolean }
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'found-in'; readonly session: string; readonly asked: number; readonly found: Found }
  | { readonly kind: 'indexed'; readonly behindBytes: number }
  | { readonly kind: 'detailed'; readonly session: Listed; readonly details: Details }
  | { readonly kind: 'priced'; readonly session: Listed; readonly costUsd: number | null }
  | { readonly kind: 'renamed' }
  | { readonly kind: 'told'; readonly notice: string | undefined }

/** The picker as it opens. */
export function openingState(size: Size, here: string): State {
  return {
    size,
    line: EMPTY_LINE,
    scope: 'here',
    isScopeChosen: false,
    here,
    sessions: [],
    isListed: false,
    found: undefined,
    behindBytes: undefined,
    isIndexStuck: false,
    unfolded: undefined,
    rows: [],
    selected: 0,
    top: 0,
    areKeysShown: false,
    renaming: undefined,
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
      return foundIn(state, event)
    case 'indexed':
      return {
        ...state,
        behindBytes: event.behindBytes,
        isIndexStuck: state.behindBytes !== undefined && event.behindBytes >= state.behindBytes,
      }
    case 'detailed':
      return { ...state, details: new Map(state.details).set(keyOf(event.session), event.details) }
    case 'priced':
      return { ...state, costs: new Map(state.costs).set(keyOf(event.session), event.costUsd) }
    case 'renamed':
      return { ...state, renaming: undefined }
    case 'told':
      return { ...state, notice: event.notice }
  }
}

/** What a key asks the picker to do with the selected session, beside changing what is shown. */
export type Act = 'read' | 'rename' | (typeof ACTS)[number] | 'redraw' | 'quit'

const ACTS = ['resume', 'copy', 'export', 'keep', 'files', 'web', 'star'] as const

/** The act that a key stands for, if it does. */
export function actOf(state: State, { kind }: Key): Act | undefined {
  if (kind === 'quit' || kind === 'redraw') return kind
  if (state.renaming) return kind === 'enter' && isRenamed(state.renaming) ? 'rename' : undefined
  if (state.areKeysShown) return undefined
  if (kind === 'escape' || kind === 'end-of-input') return state.line.text === '' ? 'quit' : undefined
  if (state.rows.length === 0) return undefined
  return kind === 'enter' ? 'read' : ACTS.find((act) => act === kind)
}

/** Whether a title was typed, and another one than before. */
function isRenamed({ session, line }: Renaming): boolean {
  const title = line.text.trim()
  return title !== '' && title !== session.title
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
export function isAnswered({ found, line, scope }: State): boolean {
  return found !== undefined && found.query === line.text && found.scope === scope
}

/** Whether anything is looked for. */
export function isAsking({ line }: State): boolean {
  return line.text.trim() !== ''
}

/** Whether there are logs that can be found in later, but not yet. */
export function isIndexBehind({ behindBytes, isIndexStuck }: State): boolean {
  return behindBytes !== 0 && !isIndexStuck
}

function press(state: State, key: Key): State {
  const { line, selected, rows } = state
  if (state.renaming) return pressOnTitle(state, state.renaming, key)
  if (state.areKeysShown) return pressOnKeys(state, key)
  const page = Math.max(1, layoutOf(state.size).list - 1)
  switch (key.kind) {
    case 'text':
      return key.text === '?' && line.text === '' ? showKeys(state) : typed(state, insert(line, key.text))
    case 'help':
      return showKeys(state)
    case 'escape':
      return typed(state, { ...EMPTY_LINE, cut: line.text })
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
    case 'first':
      return select(state, 0)
    case 'last':
      return select(state, rows.length - 1)
    // With nothing typed there is only the list whose ends can be meant.
    case 'home':
      return line.text === '' ? select(state, 0) : typed(state, edit(line, 'line-start'))
    case 'end':
      return line.text === '' ? select(state, rows.length - 1) : typed(state, edit(line, 'line-end'))
    case 'right':
      return canUnfold(state) ? unfold(state) : typed(state, edit(line, 'right'))
    case 'end-of-input':
      return typed(state, edit(line, 'delete'))
    case 'rename':
      return beginRenaming(state)
    case 'left':
      return state.unfolded === undefined ? typed(state, edit(line, 'left')) : fold(state)
    case 'enter':
    case 'resume':
    case 'copy':
    case 'export':
    case 'keep':
    case 'files':
    case 'web':
    case 'star':
    case 'redraw':
    case 'quit':
      return state
    default:
      return typed(state, edit(line, key.kind))
  }
}

/** The line takes a title now, the one that it has to begin with. */
function beginRenaming(state: State): State {
  const session = selectedRow(state)?.session
  if (!session) return state
  if (session.file === null) return { ...state, notice: 'Its log is gone: it cannot be renamed.' }
  return { ...state, renaming: { session, line: insert(EMPTY_LINE, session.title ?? '') } }
}

/** Escape leaves the title as it is, and so does Enter where none is typed. */
function pressOnTitle(state: State, renaming: Renaming, key: Key): State {
  const withLine = (line: Line): State => ({ ...state, renaming: { ...renaming, line } })
  switch (key.kind) {
    case 'text':
      return withLine(insert(renaming.line, key.text))
    case 'home':
      return withLine(edit(renaming.line, 'line-start'))
    case 'end':
      return withLine(edit(renaming.line, 'line-end'))
    case 'escape':
    case 'enter':
      return { ...state, renaming: undefined }
    default:
      return isLineEdit(key.kind) ? withLine(edit(renaming.line, key.kind)) : state
  }
}

function showKeys(state: State): State {
  return { ...state, areKeysShown: true }
}

/** Any other key than those that only close them is meant for the list. */
function pressOnKeys(state: State, key: Key): State {
  const closed = { ...state, areKeysShown: false }
  const isOnlyClosing = key.kind === 'escape' || key.kind === 'help' || (key.kind === 'text' && key.text === '?')
  return isOnlyClosing ? closed : press(closed, key)
}

/** The hits of the selected session can be put below it; the arrow has nothing else to do at the end of the line. */
export function canUnfold(state: State): boolean {
  const row = selectedRow(state)
  return (
    state.unfolded === undefined && row !== undefined && row.count > 1 && state.line.cursor === state.line.text.length
  )
}

function unfold(state: State): State {
  return withRows({ ...state, unfolded: selectedRow(state)?.session.id })
}

/** Back to the session whose hits were shown. */
function fold(state: State): State {
  const { unfolded } = state
  const rows = rowsOf(wanted({ ...state, unfolded: undefined }))
  const at = rows.findIndex(({ session }) => session.id === unfolded)
  return select({ ...state, unfolded: undefined, rows }, at === -1 ? state.selected : at)
}

function typed(state: State, line: Line): State {
  if (line.text === state.line.text) return { ...state, line }
  // What was found before stays until the search has answered anew: the list would empty and fill with every letter.
  return asked({ ...state, line, found: line.text.trim() === '' ? undefined : state.found })
}

/** Something else is asked for: the list begins at its top again. */
function asked(state: State): State {
  const folded = { ...state, unfolded: undefined }
  return { ...folded, rows: rowsOf(wanted(folded)), selected: 0, top: 0 }
}

function wanted({ sessions, scope, line, found, unfolded }: State) {
  return { sessions, scope, query: line.text, found, unfolded }
}

function list(state: State, sessions: readonly Listed[], isListed: boolean): State {
  const isEmptyHere = !sessions.some((session) => session.isHere)
  const scope = state.isScopeChosen ? state.scope : isEmptyHere ? 'all' : 'here'
  return withRows({ ...state, sessions, isListed, scope })
}

/** An answer counts only for what is asked now. */
function found(state: State, answer: Found): State {
  if (answer.query !== state.line.text || answer.scope !== state.scope) return state
  return withRows({ ...state, found: answer, behindBytes: answer.behindBytes })
}

/** The hits of one session come to those that are at hand. */
function foundIn(state: State, event: Extract<Event, { readonly kind: 'found-in' }>): State {
  const { found: before } = state
  const { session, asked: most, found: answer } = event
  if (!before || answer.query !== before.query || answer.scope !== before.scope) return state
  const hits = [...before.hits.filter((hit) => hit.session !== session), ...answer.hits]
  return withRows({ ...state, found: { ...before, hits, askedIn: new Map(before.askedIn).set(session, most) } })
}

/** New rows, the selection on the session, or on the hit of it, that it was on. */
function withRows(state: State): State {
  const rows = rowsOf(wanted(state))
  const before = selectedRow(state)
  const ofSession = before ? rows.findIndex((row) => keyOf(row.session) === keyOf(before.session)) : -1
  const same = ofSession === -1 || !before ? -1 : ofSession + (before.at === null ? 0 : before.at + 1)
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
