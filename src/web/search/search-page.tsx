import { useEffect, useMemo, useRef, useState } from 'react'
import { type OpInput, type OpResult, useOp } from '../api.ts'
import { useIndexState } from '../events.ts'
import { getRouteApi, useNavigate } from '../routing.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Said } from '../ui/said.tsx'
import { useListKeys } from '../ui/use-list-keys.ts'
import { bytesText, plural } from '../ui/words.ts'
import { SearchFilters } from './filters.tsx'
import { sessionOf } from './hit-words.ts'
import { Hits, useHitLines } from './hits.tsx'
import { addedTo, groupsOf, type HitGroup } from './stable-groups.ts'

const route = getRouteApi('/search')

/** What the address asks for. */
export type SearchParams = ReturnType<typeof route.useSearch>

const FIRST = 60
const CATCH_UP_MS = 1500
const SOON_MS = 100

/** Search: as one types, grouped by session, by keys all through. */
export function SearchPage() {
  const search = route.useSearch()
  const query = search.q?.trim() ?? ''
  return (
    <Page title="Search" hideTitle>
      <SearchFilters search={search} />
      {query === '' ? <Syntax /> : <Results key={JSON.stringify({ ...search, q: '' })} search={search} query={query} />}
    </Page>
  )
}

/** So many of each session are shown at first, prompts and answers before all else. */
const PER_SESSION = 3

function Results(props: { readonly search: SearchParams; readonly query: string }) {
  const { query } = props
  const [limit, setLimit] = useState(FIRST)
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const input = inputOf(props.search, query, limit)
  const { data, error, isFetching, isPlaceholderData, refetch } = useOp('search', input, {
    keepPrevious: true,
    isUrgent: true,
  })
  useCatchingUp(data, refetch)
  const { groups, isMixed, sortAnew } = useStable(data, query, isPlaceholderData)
  const lines = useHitLines(groups, opened, input)
  const hits = useMemo(() => lines.flatMap((line, at) => (line.kind === 'hit' ? [{ at, hit: line.hit }] : [])), [lines])
  const navigate = useNavigate()
  const [active] = useListKeys(hits.length, (index) => {
    const hit = hits[index]?.hit
    if (!hit) return
    const search = { hits: query, ...(hit.uuid !== null && { at: hit.uuid }) }
    navigate({ to: '/s/$session', params: { session: sessionOf(hit) }, search })
  })
  // The groups tell how many there are to come: of each session three at most.
  const all = data?.groups.reduce((sum, { count }) => sum + Math.min(count, PER_SESSION), 0) ?? 0
  const isMore = data !== undefined && data.hits.length >= limit && data.hits.length < all
  const end = useNearEnd(isMore && !isFetching, () => setLimit(limit * 3))
  if (error) return <ErrorBox error={error} onRetry={refetch} />
  if (!data) return <Loading label="Searching …" />
  if (data.hits.length === 0) return isBehind(data) ? <StillLooking data={data} /> : <NothingFound query={query} />
  return (
    <>
      <p aria-live="polite" className="flex flex-wrap justify-between gap-x-4 text-sm text-muted">
        <span>
          {data.moreHits ? 'More than ' : ''}
          {plural(data.total, 'hit')} in {plural(data.sessions, 'session')}
          {hasCopies(data) && '; what forks have copied is shown once, where it was made'}
        </span>
        {isBehind(data) && (
          <span>{bytesText(data.behindBytes)} of logs are not indexed yet; they were looked through.</span>
        )}
        {isMixed && !isBehind(data) && (
          <button type="button" onClick={sortAnew} className="text-accent hover:underline">
            Sort what was found meanwhile into the list
          </button>
        )}
      </p>
      <Hits
        lines={lines}
        query={query}
        active={active < 0 ? -1 : (hits[active]?.at ?? -1)}
        onOpen={(session) => setOpened(new Set([...opened, session]))}
      />
      <div ref={end}>{isMore && <Loading rows={2} label="More hits …" />}</div>
    </>
  )
}

function NothingFound({ query }: { query: string }) {
  return (
    <Empty hint="Try fewer words, the beginning of a word with a star (migrat*), or Exact for a piece of code.">
      Nothing was found for “<Said>{query}</Said>”.
    </Empty>
  )
}

/** Not everything is known yet: that nothing was found so far is not said as if it were the end of it. */
function StillLooking({ data }: { data: OpResult<'search'> }) {
  return (
    <div role="status">
      <p className="mb-3 text-sm text-muted">
        Not found yet. {bytesText(data.behindBytes)} of logs are still being indexed; hits appear here as they are
        found.
      </p>
      <Loading rows={4} label="Still looking …" />
    </div>
  )
}

/** The groups of an answer, added to those of the answers before it as long as the question is the same. */
function useStable(data: OpResult<'search'> | undefined, query: string, isOfBefore: boolean) {
  const [shown, setShown] = useState<{ readonly query: string; readonly groups: readonly HitGroup[] }>()
  const found = useMemo(() => (data ? groupsOf(data) : []), [data])
  const isSame = shown?.query === query
  const groups = useMemo(
    () => (isSame && !isOfBefore ? addedTo(shown.groups, found, PER_SESSION) : found),
    [isSame, isOfBefore, shown, found],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is taken in once
  useEffect(() => {
    if (data && !isOfBefore) setShown({ query, groups })
  }, [data, isOfBefore, query])
  const isMixed = groups.some(({ session }, at) => session !== found[at]?.session)
  return { groups, isMixed, sortAnew: () => setShown({ query, groups: found }) }
}

/** Calls when the end of a list comes near the screen. */
function useNearEnd(isWanted: boolean, reached: () => void) {
  const ref = useRef<HTMLDivElement>(null)
  const current = useRef(reached)
  current.current = reached
  useEffect(() => {
    const element = ref.current
    if (!isWanted || !element) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) current.current()
      },
      { rootMargin: '600px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [isWanted])
  return ref
}

/** Whether there are logs that the index does not know yet. A search in the logs themselves never is. */
function isBehind({ complete, behindBytes }: OpResult<'search'>): boolean {
  return !complete && behindBytes > 0
}

/** Asks again while the index is behind: now and then, and at once when it has caught up. */
function useCatchingUp(data: OpResult<'search'> | undefined, refetch: () => void): void {
  const index = useIndexState()
  const isCurrent = index !== undefined && index.doneBytes >= index.totalBytes
  const isWaiting = data !== undefined && isBehind(data)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer that is behind asks for another
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(refetch, isCurrent ? SOON_MS : CATCH_UP_MS)
    return () => clearTimeout(timer)
  }, [data, isWaiting, isCurrent, refetch])
}

function inputOf(search: SearchParams, query: string, limit: number): OpInput<'search'> {
  const { q: _, error, exact, regex, sort, ...filters } = search
  return {
    // The server says which of these it does not know.
    ...(definedOf(filters) as Partial<OpInput<'search'>>),
    query: [query],
    ...(error && { error: true }),
    ...(exact && { exact: true }),
    ...(regex && !exact && { regex: true }),
    ...(sort === 'relevance' && { sort }),
    ...(filters.session === undefined && { 'per-session': PER_SESSION }),
    limit,
  }
}

function definedOf<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

function Syntax() {
  return (
    <Empty hint="It starts as you type.">
      Words find what has them all. <Kbd>"two words"</Kbd> stand together, <Kbd>migrat*</Kbd> begins so,{' '}
      <Kbd>-test</Kbd> leaves out, <Kbd>OR</Kbd> gives a choice.
    </Empty>
  )
}

/** Whether sessions hold copies of what others hold: then their counts come to more than there is. */
function hasCopies({ groups, total, moreHits }: OpResult<'search'>): boolean {
  return !moreHits && groups.reduce((sum, { count }) => sum + count, 0) > total
}
