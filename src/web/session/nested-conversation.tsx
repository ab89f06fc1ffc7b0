import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { fetchOp } from '../api.ts'
import { ErrorBox } from '../ui/error-box.tsx'
import { Loading } from '../ui/loading.tsx'
import { countText } from '../ui/words.ts'
import { RowView } from './row-view.tsx'
import { SessionProvider, useSession } from './session-context.tsx'

const PAGE = 50

/** What an agent did, as a conversation inside the one that started it; read a page at a time. */
export function NestedConversation({ agentId }: { agentId: string }) {
  const outer = useSession()
  const session = `agent-${agentId}`
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['read', session, 'nested'],
    queryFn: ({ pageParam, signal }) => fetchOp('read', { session, from: pageParam, count: PAGE }, signal),
    initialPageParam: 0,
    getNextPageParam: (last) => (last.from + last.rows.length < last.total ? last.from + last.rows.length : undefined),
  })
  const inner = useMemo(
    () => ({ ...outer, session, branch: undefined, depth: outer.depth + 1, turnRange: () => undefined }),
    [outer, session],
  )
  if (error) return <ErrorBox error={error} />
  if (isPending) return <Loading rows={3} label="Reading the agent's log …" />
  const rows = data.pages.flatMap((page) => page.rows)
  const left = (data.pages.at(-1)?.total ?? 0) - rows.length
  return (
    <SessionProvider value={inner}>
      <div className="space-y-3 border-l-2 border-accent py-2 pr-7 pl-3 sm:ml-3">
        {rows.map((row) => (
          <RowView key={row.row} row={row} />
        ))}
        {rows.length === 0 && <p className="text-sm text-muted">Nothing was said in it.</p>}
        {hasNextPage && (
          <button type="button" onClick={() => fetchNextPage()} className="text-sm text-accent underline">
            {isFetchingNextPage ? 'Reading …' : `Show more · ${countText(left)} left`}
          </button>
        )}
      </div>
    </SessionProvider>
  )
}
