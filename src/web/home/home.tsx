import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import type { Search } from '../addresses.ts'
import { FIRST_SCREEN, queryClient, useOp } from '../api.ts'
import { useEvents, useIndexState } from '../events.ts'
import { keysOf, projectGroups } from '../project-groups.ts'
import { ProjectSelect } from '../project-select.tsx'
import { getRouteApi, Link, useNavigate } from '../routing.tsx'
import { isTrivial, type SessionLine, titleText } from '../session-words.ts'
import { ofText } from '../status-bar.tsx'
import { Toggle } from '../ui/chip.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { FilterBox } from '../ui/filter-box.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import { countText, plural } from '../ui/words.ts'
import { Expiring } from './expiring.tsx'
import { RecapCard } from './recap.tsx'
import { Running } from './running.tsx'
import { SessionList } from './session-list.tsx'
import { Spending } from './spending.tsx'

const route = getRouteApi('/')

const PERIODS = [
  { value: '', text: 'Any time', days: Number.POSITIVE_INFINITY },
  { value: '24h', text: 'Last 24 hours', days: 1 },
  { value: '7d', text: 'Last 7 days', days: 7 },
  { value: '30d', text: 'Last 30 days', days: 30 },
] as const

const DAY_MS = 86_400_000

type HomeSearch = Search<'/'>

/** Home: what was done and spent, what runs, what expires, and the sessions. */
export function Home(): ReactNode {
  const search = route.useSearch()
  const set = useSet()
  const filters = [search.project, search.q, search.since, search.trivial, search.starred, search.tag, search.sort]
  const isFiltered = filters.some((one) => one !== undefined)
  const { sessions, isListed, total, refetch, error, hidden } = useSessions(search.all === 'true', isFiltered)
  const shown = useShown(sessions ?? [], search)
  const titles = useMemo(() => new Map(sessions?.map((item) => [item.id, titleText(item)])), [sessions])
  useFreshness(isListed)
  return (
    <Page title="Sessions" hideTitle>
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <RecapCard isReady={isListed} />
        <Spending isReady={isListed} />
      </div>
      <Running isReady={isListed} titles={titles} />
      <Expiring isReady={isListed} />
      <Filters isReady={isListed} sessions={sessions ?? []} />
      {error ? <ErrorBox error={error} onRetry={refetch} /> : null}
      {!sessions && !error ? <Loading rows={10} label="Looking for sessions …" /> : null}
      {sessions && shown.length > 0 ? (
        <SessionList sessions={shown} sort={search.sort} onSort={(sort) => set({ sort })} />
      ) : null}
      {sessions && shown.length === 0 ? <Nothing hasAny={sessions.length > 0} /> : null}
      {sessions ? (
        <Footer shown={isFiltered ? shown.length : total} all={total} hidden={hidden} kept={keptOf(sessions)} />
      ) : null}
    </Page>
  )
}

/** Changes what stands behind the `?` of the address. */
function useSet(): (part: Partial<HomeSearch>, replace?: boolean) => void {
  const navigate = useNavigate({ from: '/' })
  return (part, replace = false) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace, resetScroll: false })
}

/**
 * First a screen of the list as the server last knew it, then all of it. One after the other, so that a page which was just
 * opened never keeps the server from answering.
 */
function useSessions(all: boolean, isFiltered: boolean) {
  const isPlain = !all && !isFiltered
  const first = useQuery({ ...FIRST_SCREEN, enabled: isPlain })
  const whole = useOp('sessions', all ? { all } : {}, { enabled: !isPlain || first.isFetched, keepPrevious: true })
  // What a filter leaves of a screen's worth says nothing about the rest.
  const known = whole.data ?? (isPlain ? first.data : undefined)
  const hidden = Object.values(known?.hidden ?? {}).reduce((sum, count) => sum + count, 0)
  const { error, refetch, isSuccess: isListed } = whole
  return { sessions: known?.items, isListed, total: known?.total ?? 0, hidden, error, refetch: () => refetch() }
}

function useShown(sessions: readonly SessionLine[], search: HomeSearch) {
  const { data } = useOp('projects', {}, { enabled: search.project !== undefined })
  const { project, q, since, trivial, starred, tag } = search
  return useMemo(() => {
    const keys = project === undefined ? undefined : keysOf(projectGroups(data?.items ?? []), project)
    const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
    const days = PERIODS.find(({ value }) => value === since)?.days ?? Number.POSITIVE_INFINITY
    const first = days === Number.POSITIVE_INFINITY ? '' : new Date(Date.now() - days * DAY_MS).toISOString()
    return sessions.filter((item) => {
      if (keys && !keys.has(item.project.key)) return false
      if (first !== '' && (item.updatedAt ?? '') < first) return false
      if (trivial === 'hide' && isTrivial(item)) return false
      if (starred !== undefined && !item.starred) return false
      if (tag !== undefined && !item.tags.includes(tag)) return false
      const { title, note, gitBranch, id } = item
      const text = `${title ?? ''} ${item.project.path ?? item.project.key} ${gitBranch ?? ''} ${id} ${item.tags.join(' ')} ${note ?? ''}`
      return words.every((word) => text.toLowerCase().includes(word))
    })
  }, [sessions, data, project, q, since, trivial, starred, tag])
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
    for (const name of ['sessions', 'usage', 'status', 'recap']) queryClient.invalidateQueries({ queryKey: [name] })
  }, 2000)
}

function Filters(props: { readonly isReady: boolean; readonly sessions: readonly SessionLine[] }) {
  const search = route.useSearch()
  const set = useSet()
  const tags = [...new Set(props.sessions.flatMap(({ tags }) => tags))].sort()
  const hasStars = search.starred !== undefined || props.sessions.some(({ starred }) => starred)
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
      {tags.length > 0 ? (
        <Select
          label="Tag"
          value={search.tag ?? ''}
          options={[{ value: '', text: 'Any tag' }, ...tags.map((tag) => ({ value: tag, text: tag }))]}
          onChange={(tag) => set({ tag })}
        />
      ) : null}
      {hasStars ? (
        <Toggle on={search.starred === 'true'} onChange={(on) => set({ starred: on ? 'true' : undefined })}>
          ★ Starred
        </Toggle>
      ) : null}
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
  if (props.hasAny) return <Empty hint="Remove a filter to see more.">No sessions match these filters.</Empty>
  return (
    <Empty hint="Once Claude Code has run on this machine, its sessions appear here by themselves.">
      There is no session yet.
    </Empty>
  )
}

function keptOf(sessions: readonly SessionLine[]): number {
  return sessions.filter(({ kept }) => kept).length
}

/** How many there are, and how it stands with index and archive. */
function Footer(props: {
  readonly shown: number
  readonly all: number
  readonly hidden: number
  readonly kept: number
}) {
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
      <span className="flex flex-wrap gap-x-4">
        <Link to="/archive" className="hover:underline">
          {props.kept === 0 ? 'nothing kept in the archive' : `${countText(props.kept)} kept in the archive`}
        </Link>
        <IndexText />
      </span>
    </footer>
  )
}

function IndexText() {
  const state = useIndexState()
  if (!state) return null
  if (state.trouble !== undefined) return <span className="text-warn">index stopped</span>
  const { doneBytes, totalBytes } = state
  return <span>{doneBytes < totalBytes ? `indexing ${ofText(doneBytes, totalBytes)}` : 'index current'}</span>
}
