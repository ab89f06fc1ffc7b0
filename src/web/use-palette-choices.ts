import { useAbout, useOp } from './api.ts'
import { MORE_PAGES, PAGES } from './pages.ts'
import { projectGroups } from './project-groups.ts'
import { useNavigate, usePlace } from './routing.tsx'
import { type Actable, type SessionAction, sessionActions, undo } from './session-actions.ts'
import { titleText } from './session-words.ts'
import { chooseTheme, useIsDark } from './theme.ts'

/** What can be chosen: a place to go, or something to do. */
export interface Choice {
  readonly key: string
  readonly kind: string
  readonly text: string
  readonly go: () => void
}

/** An action that needs a word more before it is done. */
export interface Asking {
  readonly session: Actable
  readonly action: SessionAction
}

/** How many sessions are offered at once. */
const MAX_SESSIONS = 30

/** What fits the words that were typed: first what can be done here, then places. */
export function usePaletteChoices(
  typed: string,
  {
    close,
    help,
    ask,
  }: { readonly close: () => void; readonly help: () => void; readonly ask: (asking: Asking) => void },
): readonly Choice[] {
  const navigate = useNavigate()
  const here = usePlace()
  const isDark = useIsDark()
  const isDemo = useAbout()?.isDemo ?? false
  const sessions = useOp('sessions', {})
  const projects = useOp('projects', {})
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const closing = (act: () => unknown) => () => {
    close()
    void act()
  }

  const current = (sessions.data?.items ?? []).find(
    ({ id }) => here.params.session && id.startsWith(here.params.session),
  )
  const ofSession = current ? sessionActions(current, isDemo) : []
  const actions: readonly Choice[] = [
    ...ofSession.map((action) => ({
      key: action.key,
      kind: 'Do',
      text: action.text,
      go: action.asks ? () => ask({ session: current as Actable, action }) : closing(() => action.run('')),
    })),
    {
      key: 'theme',
      kind: 'Do',
      text: isDark ? 'Use light colours' : 'Use dark colours',
      go: closing(() => chooseTheme(isDark ? 'light' : 'dark')),
    },
    {
      key: 'system theme',
      kind: 'Do',
      text: 'Use the colours of the system',
      go: closing(() => chooseTheme('system')),
    },
    ...(isDemo ? [] : [{ key: 'undo', kind: 'Do', text: 'Undo the last edit', go: closing(() => undo()) }]),
    { key: 'keys', kind: 'Do', text: 'Show the keys', go: help },
  ]
  const pages = [...PAGES, ...MORE_PAGES].map(
    ({ to, name }): Choice => ({ key: to, kind: 'Page', text: name, go: closing(() => navigate({ to })) }),
  )
  const places = projectGroups(projects.data?.items ?? []).filter(({ name, path }) => fits(`${name} ${path ?? ''}`))
  const found = (sessions.data?.items ?? [])
    .filter((item) => fits(`${item.title ?? ''} ${item.id} ${item.tags.join(' ')}`))
    .slice(0, MAX_SESSIONS)
  const search: Choice = {
    key: 'search',
    kind: 'Search',
    text: `Search everything for “${typed.trim()}”`,
    go: closing(() => navigate({ to: '/search', search: { q: typed.trim() } })),
  }
  const isTyped = words.length > 0
  return [
    // Before anything is typed, what one can do with what one reads; the rest is found by its name.
    ...(isTyped ? actions : actions.slice(0, ofSession.length)).filter(({ text }) => fits(text)),
    ...pages.filter(({ text }) => fits(text)),
    ...(isTyped ? places : places.slice(0, 5)).map(({ key, name }) => ({
      key: `project ${key}`,
      kind: 'Project',
      text: name,
      go: closing(() => navigate({ to: '/', search: { project: key } })),
    })),
    ...found.map((item) => ({
      key: item.file ?? item.id,
      kind: 'Session',
      text: titleText(item),
      go: closing(() => navigate({ to: '/s/$session', params: { session: item.id } })),
    })),
    ...(isTyped ? [search] : []),
  ]
}
