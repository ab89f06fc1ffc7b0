import { useEffect, useState } from 'react'
import { type OpInput, type OpResult, useOp } from '../api.ts'
import { useIndexState } from '../events.ts'
import { getRouteApi, useNavigate } from '../routing.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { useListKeys } from '../ui/use-list-keys.ts'
import { bytesText, countText, plural } from '../ui/words.ts'
import { SearchFilters } from './filters.tsx'
import { type Hit, type HitGroup, Hits, sessionOf } from './hits.tsx'

const route = getRouteApi('/search')

/** What the address asks for. */
export type SearchParams = ReturnType<typeof route.useSearch>

const FIRST = 60
const MORE = 500
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

function Results(props: { readonly search: SearchParams; readonly query: string }) {
  const [limit, setLimit] = useState(FIRST)
  const { data, error, isFetching, refetch } = useOp('search', inputOf(props.search, props.query, limit), {
    keepPrevious: true,
  })
  useCatchingUp(data, refetch)
  const hits = data?.hits ?? []
  const navigate = useNavigate()
  const groups = data ? groupsOf(data) : []
  // In the order in which they are shown, which is by session.
  const ordered = groups.flatMap((group) => group.hits)
  const [active] = useListKeys(ordered.length, (index) => {
    const hit = ordered[index]
    if (hit) navigate({ to: '/s/$session', params: { session: sessionOf(hit) }, search: { at: hit.uuid ?? undefined } })
  })
  if (error) return <ErrorBox error={error} onRetry={refetch} />
  if (!data) return <Loading label="Searching …" />
  if (hits.length === 0) {
    return (
      <Empty hint="Try fewer words, the beginning of a word with a star (migrat*), or Exact for a piece of code.">
        Nothing was found for “{props.query}”.
      </Empty>
    )
  }
  return (
    <>
      <p aria-live="polite" className="mb-3 flex flex-wrap justify-between gap-x-4 text-sm text-muted">
        <span>
          {data.moreHits ? 'More than ' : ''}
          {plural(data.total, 'hit')} in {plural(data.sessions, 'session')}
          {data.total > hits.length ? `, the first ${countText(hits.length)} shown` : ''}
        </span>
        <span>
          {isBehind(data)
            ? `${bytesText(data.behindBytes)} of logs are not indexed yet; they were looked through.`
            : ''}
        </span>
      </p>
      <Hits groups={groups} active={active < 0 ? undefined : ordered[active]} />
      {data.total > hits.length && limit < MORE ? (
        <Button className="mt-4" disabled={isFetching} onClick={() => setLimit(MORE)}>
          Show more
        </Button>
      ) : null}
    </>
  )
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
    limit,
  }
}

function definedOf<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/** Every session with a hit: those whose hits were fetched in the order of these, then all others. */
function groupsOf({ hits, groups }: OpResult<'search'>): readonly HitGroup[] {
  const fetched = new Map<string, Hit[]>()
  for (const hit of hits) {
    const own = fetched.get(hit.session)
    if (own) own.push(hit)
    else fetched.set(hit.session, [hit])
  }
  const known = new Map(groups.map((group) => [group.session, group]))
  const order = new Set([...fetched.keys(), ...known.keys()])
  return [...order].flatMap((session) => {
    const group = known.get(session)
    return group ? [{ ...group, hits: fetched.get(session) ?? [] }] : []
  })
}

function Syntax() {
  return (
    <Empty hint="It starts as you type.">
      Words find what has them all. <Kbd>"two words"</Kbd> stand together, <Kbd>migrat*</Kbd> begins so,{' '}
      <Kbd>-test</Kbd> leaves out, <Kbd>OR</Kbd> gives a choice.
    </Empty>
  )
}
