import { type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { fetchOp, type OpResult } from '../api.ts'
import type { Row } from './types.ts'

/** How many rows are fetched at a time. */
const PAGE = 50
/** How many rows before and behind the screen are fetched as well. */
const MARGIN = 20
const KEPT_MS = 10 * 60_000

/** What is read: a session, or an agent, on one of its branches. */
export interface Reading {
  readonly session: string
  readonly branch: string | undefined
}

/** The rows of a conversation, fetched as they come into view and kept for a while. */
export interface Rows {
  readonly rowAt: (index: number) => Row | undefined
  /** Fetches the rows around one, for a jump that lands on something already drawn. */
  readonly ensure: (index: number) => Promise<unknown>
  readonly error: Error | null
}

/** Fetches the rows from `first` to `last`. */
export function useRows(
  reading: Reading,
  range: { readonly first: number; readonly last: number },
  total: number,
): Rows {
  const client = useQueryClient()
  const { session, branch } = reading
  const pages = pagesOf(range.first, range.last, total)
  const { error } = useQueries({
    queries: pages.map((page) => pageQuery({ session, branch }, page)),
    combine: firstError,
  })
  const rowAt = useCallback(
    (index: number) => cached(client, { session, branch }, Math.floor(index / PAGE))?.rows[index % PAGE],
    [client, session, branch],
  )
  const ensure = useCallback(
    (index: number) => {
      const wanted = pagesOf(index, index, total).map((page) =>
        client.ensureQueryData(pageQuery({ session, branch }, page)),
      )
      return Promise.allSettled(wanted)
    },
    [client, session, branch, total],
  )
  return useMemo(() => ({ rowAt, ensure, error }), [rowAt, ensure, error])
}

/**
 * Fetches again what may have changed: after an append the `end`, and rows with calls that had no answer yet; or `all`.
 * Gives how many rows there are now.
 */
export async function refreshRows(
  client: QueryClient,
  reading: Reading,
  total: number,
  what: 'end' | 'all',
): Promise<number> {
  const last = Math.floor(Math.max(0, total - 1) / PAGE)
  const others = client
    .getQueryCache()
    .findAll({ queryKey: ['read', reading.session, reading.branch ?? ''] })
    .flatMap(({ queryKey, state }) => {
      const page = Number(queryKey[3])
      const isStale = what === 'all' || page > last || hasOpenCall(state.data as Page | undefined)
      return isStale && page !== last ? [page] : []
    })
  const fetchPage = (page: number) => client.fetchQuery({ ...pageQuery(reading, page), staleTime: 0 })
  const [end] = await Promise.all([fetchPage(last), ...others.map(fetchPage)])
  return end.total
}

/**
 * Fetches what was written behind the rows that are known, and puts it there: that costs what was written, however long the
 * log is. Gives how many rows there are now and whether tools were called; `unseen` where the last rows were not fetched yet,
 * `changed` where it takes more than the end of the log.
 */
export async function appendRows(
  client: QueryClient,
  reading: Reading,
  total: number,
): Promise<{ readonly total: number; readonly hasCalls: boolean } | 'unseen' | 'changed'> {
  // What is written goes to the active branch.
  if (reading.branch !== undefined) return 'changed'
  const start = firstOpen(client, reading, total)
  if (!start) return 'unseen'
  const end = await fetchOp('read', { session: reading.session, offset: start.offset, line: start.line })
  const [first] = end.rows
  const now = start.row + end.total
  if (!end.goesOn || first?.uuid !== start.uuid || end.rows.length < end.total || now < total) return 'changed'
  const rows = end.rows.map((row) => {
    return { ...row, row: row.row + start.row, turn: row.turn + start.turn - first.turn }
  })
  for (let page = Math.floor(start.row / PAGE); page * PAGE < now; page++) {
    const before = cached(client, reading, page)
    if (!before && page * PAGE < start.row) continue
    const own = rows.filter(({ row }) => Math.floor(row / PAGE) === page)
    const kept = before?.rows.slice(0, (own[0]?.row ?? 0) - page * PAGE) ?? []
    const made = own.map((row) => withAgents(row, before?.rows[row.row - page * PAGE]))
    client.setQueryData<Page>(pageQuery(reading, page).queryKey, {
      ...(before ?? end),
      from: page * PAGE,
      total: now,
      rows: [...kept, ...made],
    })
  }
  return { total: now, hasCalls: rows.some(({ items }) => items.some(({ kind }) => kind === 'tool')) }
}

/** So many of the last rows are looked at for calls that have no answer yet. */
const LOOK_BACK = 40

/** The first of the last rows that may still change; `undefined` where they are not at hand. */
function firstOpen(client: QueryClient, reading: Reading, total: number): Row | undefined {
  const at = (index: number) => cached(client, reading, Math.floor(index / PAGE))?.rows[index % PAGE]
  let first = at(total - 1)
  for (let index = total - 2; index >= Math.max(0, total - LOOK_BACK); index--) {
    const row = at(index)
    if (!row) break
    if (isOpen(row)) first = row
  }
  return first
}

/** The end of a log does not know which agents a call started; what was known of them stays. */
function withAgents(row: Row, before: Row | undefined): Row {
  if (!before || before.uuid !== row.uuid) return row
  const items = row.items.map((item, at) => {
    const known = before.items[at]
    if (item.kind !== 'tool' || known?.kind !== 'tool') return item
    return { ...item, agent: known.agent, agents: known.agents }
  })
  return { ...row, items }
}

/** Asks for the first page of a conversation before it is drawn. */
export function askFirstPage(client: QueryClient, session: string): Promise<void> {
  return client.prefetchQuery(pageQuery({ session, branch: undefined }, 0))
}

/** The first page of a conversation: enough to show something and to know how long it is. */
export function useFirstPage(reading: Reading, isWanted: boolean) {
  return useQuery({ ...pageQuery(reading, 0), enabled: isWanted })
}

type Page = OpResult<'read'>

/** Looks at the data too: only what is looked at draws the component anew. */
function firstError(results: readonly { readonly data: Page | undefined; readonly error: Error | null }[]) {
  return { error: results.find(({ error }) => error)?.error ?? null, pages: results.map(({ data }) => data) }
}

function pageQuery({ session, branch }: Reading, page: number) {
  const input = { session, ...(branch !== undefined && { branch }), from: page * PAGE, count: PAGE }
  return {
    queryKey: ['read', session, branch ?? '', page] as const,
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<Page> => fetchOp('read', input, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
  }
}

function cached(client: QueryClient, reading: Reading, page: number): Page | undefined {
  return client.getQueryData<Page>(pageQuery(reading, page).queryKey)
}

function pagesOf(first: number, last: number, total: number): readonly number[] {
  if (total === 0) return []
  const from = Math.floor(Math.max(0, first - MARGIN) / PAGE)
  const to = Math.floor(Math.min(total - 1, last + MARGIN) / PAGE)
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
}

function hasOpenCall(page: Page | undefined): boolean {
  return page?.rows.some(isOpen) ?? false
}

/** Whether a row has a call without an answer. */
function isOpen(row: Row): boolean {
  return row.items.some((item) => item.kind === 'tool' && item.outcome === 'unanswered')
}
