import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { queryClient, useFirstScreen, useOp } from '../api.ts'
import { useEvents } from '../events.ts'
import { keysOf, projectGroups } from '../project-groups.ts'
import { ProjectSelect } from '../project-select.tsx'
import { isTrivial, type SessionLine } from '../session-words.ts'
import { Toggle } from '../ui/chip.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { FilterBox } from '../ui/filter-box.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import { bytesText, countText, plural } from '../ui/words.ts'
import { Expiring } from './expiring.tsx'
import { SessionList } from './session-list.tsx'
import { Spending, useDays } from './spending.tsx'

const route = getRouteApi('/')

const PERIODS = [
  { value: '', text: 'Any time', days: Number.POSITIVE_INFINITY },
  { value: '24h', text: 'Last 24 hours', days: 1 },
  { value: '7d', text: 'Last 7 days', days: 7 },
  { value: '30d', text: 'Last 30 days', days: 30 },
] as const

const DAY_MS = 86_400_000

type HomeSearch = Readonly<Partial<Record<'project' | 'q' | 'since' | 'all' | 'trivial', string | undefined>>>

/** Home: what was spent, what expires, and the sessions. */
export function Home(): ReactNode {
  const search = route.useSearch()
  const isFiltered = [search.project, search.q, search.since, search.trivial].some((one) => one !== undefined)
  const { sessions, isListed, total, refetch, error, hidden } = useSessions(search.all === 'true', isFiltered)
  const shown = useShown(sessions ?? [], search)
  useFreshness(isListed)
  return (
    <Page title="Sessions" hideTitle>
      <Spending isReady={isListed} />
      <Expiring isReady={isListed} />
      <Filters isReady={isListed} />
      {error ? <ErrorBox error={error} onRetry={refetch} /> : null}
      {!sessions && !error ? <Loading rows={10} label="Looking for sessions …" /> : null}
      {sessions && shown.length > 0 ? <SessionList sessions={shown} /> : null}
      {sessions && shown.length === 0 ? <Nothing hasAny={sessions.length > 0} /> : null}
      {sessions ? (
        <Footer shown={isFiltered ? shown.length : total} all={total} hidden={hidden} isReady={isListed} />
      ) : null}
    </Page>
  )
}

/**
 * First a screen of the list as the server last knew it, then all of it, then what was spent; last the list with costs and
 * counts, where the server had none at hand. One after the other, so that a page which was just opened never keeps the
 * server from answering.
 */
function useSessions(all: boolean, isFiltered: boolean) {
  const input = all ? { all } : {}
  const isPlain = !all && !isFiltered
  const first = useFirstScreen(isPlain)
  const whole = useOp('sessions', input, { enabled: !isPlain || first.isFetched, keepPrevious: true })
  // What a filter leaves of a screen's worth says nothing about the rest.
  const known = whole.data ?? (isPlain ? first.data : undefined)
  const days = useDays(whole.isSuccess)
  const isCounted = known?.items.every(({ counts, costUsd }) => counts !== null && costUsd !== null) ?? false
  const full = useOp(
    'sessions',
    { ...input, full: true },
    { enabled: days.isFetched && !isCounted, keepPrevious: true },
  )
  const sessions = useMemo(() => {
    const counted = new Map(full.data?.items.map((item) => [item.file ?? item.id, item]))
    return known?.items.map((item) => withFigures(item, counted.get(item.file ?? item.id)))
  }, [known, full.data])
  const hidden = Object.values(known?.hidden ?? {}).reduce((sum, count) => sum + count, 0)
  const { error, refetch, isSuccess: isListed } = whole
  return { sessions, isListed, total: known?.total ?? 0, hidden, error, refetch: () => refetch() }
}

function withFigures(item: SessionLine, counted: SessionLine | undefined): SessionLine {
  if (!counted) return item
  const { costUsd, ownCostUsd, inherited, forkedFrom, counts, title } = counted
  return { ...item, costUsd, ownCostUsd, inherited, forkedFrom, counts, title }
}

function useShown(sessions: readonly SessionLine[], search: HomeSearch) {
  const { data } = useOp('projects', {}, { enabled: search.project !== undefined })
  const { project, q, since, trivial } = search
  return useMemo(() => {
    const keys = project === undefined ? undefined : keysOf(projectGroups(data?.items ?? []), project)
    const words = (q ?? '')
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    const days = PERIODS.find(({ value }) => value === since)?.days ?? Number.POSITIVE_INFINITY
    const first = days === Number.POSITIVE_INFINITY ? '' : new Date(Date.now() - days * DAY_MS).toISOString()
    return sessions.filter((item) => {
      if (keys && !keys.has(item.project.key)) return false
      if (first !== '' && (item.updatedAt ?? '') < first) return false
      if (trivial === 'hide' && isTrivial(item)) return false
      const text = `${item.title ?? ''} ${item.project.path ?? item.project.key} ${item.gitBranch ?? ''} ${item.id}`
      return words.every((word) => text.toLowerCase().includes(word))
    })
  }, [sessions, data, project, q, since, trivial])
}

/** When logs grow, the lists are asked again, but not more often than a person looks. */
function useFreshness(isReady: boolean): void {
  // The server begins to watch when somebody listens: that must not hold up the first list.
  useEvents(isReady ? {} : null, { change: () => refreshSoon() })
}

let isRefreshing = false

function refreshSoon(): void {
  if (isRefreshing) return
  isRefreshing = true
  setTimeout(() => {
    isRefreshing = false
    for (const name of ['sessions', 'usage', 'status']) queryClient.invalidateQueries({ queryKey: [name] })
  }, 2000)
}

function Filters(props: { readonly isReady: boolean }) {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/' })
  const set = (part: Partial<HomeSearch>, replace = false) =>
    navigate({ search: (now) => ({ ...now, ...part }), replace, resetScroll: false })
  return (
    <div className="mt-6 mb-2 flex flex-wrap items-center gap-2">
      <FilterBox
        label="Filter sessions"
        value={search.q ?? ''}
        onChange={(q) => set({ q }, search.q !== undefined)}
        className="w-full xs:w-44"
      />
      <ProjectSelect value={search.project} isReady={props.isReady} onChange={(project) => set({ project })} />
      <Select
        label="Time"
        value={PERIODS.find(({ value }) => value === search.since)?.value ?? ''}
        options={PERIODS}
        onChange={(since) => set({ since })}
      />
      <Toggle
        on={search.trivial === 'hide'}
        onChange={(on) => set({ trivial: on ? 'hide' : undefined })}
        title="Leave out what ended within a few steps, or without an answer"
      >
        Hide trivial
      </Toggle>
      <Toggle
        on={search.all === 'true'}
        onChange={(on) => set({ all: on ? 'true' : undefined })}
        title="Also logs that hold no conversation, and sessions whose log is gone"
      >
        Everything
      </Toggle>
    </div>
  )
}

function Nothing(props: { readonly hasAny: boolean }) {
  if (props.hasAny) return <Empty hint="Take a filter off to see more.">No session fits these filters.</Empty>
  return (
    <Empty hint="Once Claude Code has run on this machine, its sessions appear here by themselves.">
      There is no session yet.
    </Empty>
  )
}

function Footer(props: {
  readonly shown: number
  readonly all: number
  readonly hidden: number
  readonly isReady: boolean
}) {
  const days = useDays(props.isReady)
  const isBehind = days.data?.complete === false
  const count =
    props.shown === props.all
      ? plural(props.all, 'session')
      : `${countText(props.shown)} of ${plural(props.all, 'session')}`
  return (
    <footer className="mt-4 flex flex-wrap justify-between gap-x-6 gap-y-1 border-t border-line pt-3 text-sm text-muted">
      <span>
        {count}
        {props.hidden > 0 ? ` · ${plural(props.hidden, 'log')} without a conversation left out` : ''}
      </span>
      <span>{isBehind && `still reading ${bytesText(days.data?.behindBytes)}: sums and search will grow`}</span>
    </footer>
  )
}
