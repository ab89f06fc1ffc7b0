import { useEffect, useState } from 'react'
import { fetchOp, useOp } from '../api.ts'
import { getRouteApi } from '../routing.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Loading } from '../ui/loading.tsx'
import { readPoint } from './point-link.ts'
import { SessionHeader } from './session-header.tsx'
import { SessionReader } from './session-reader.tsx'
import type { Outline } from './types.ts'
import { useFirstPage } from './use-rows.ts'
import { useTarget } from './use-target.ts'

const route = getRouteApi('/s/$session')

/** A session, or an agent, as a conversation; a point in one leads to its row. */
export function SessionPage() {
  const { session } = route.useParams()
  return readPoint(session) ? <PointPage name={session} /> : <ReadingPage session={session} />
}

function ReadingPage({ session }: { session: string }) {
  const { branch, at, q, hits, top, open } = route.useSearch()
  const navigate = route.useNavigate()
  const reading = { session, branch }
  // Where one was reading when the page was left comes before where a link led. What the page notes from then on leads nowhere.
  const [left] = useState({ top, at, session, branch })
  const isAsLeft = left.top !== undefined && left.at === at && left.session === session && left.branch === branch
  const wanted = isAsLeft ? left.top : at
  const target = useTarget(reading, wanted)

  const first = useFirstPage(reading, wanted === undefined || target.problem !== undefined)
  const total = target.total ?? first.data?.total
  // The outline of a long session takes the server longer than its first rows; they go first.
  const outline = useOutline(session, branch, total !== undefined || first.error !== null)
  if (first.error && total === undefined) {
    return (
      <div className="mx-auto w-full max-w-3xl px-4">
        <ErrorBox error={first.error} onRetry={() => first.refetch()} />
      </div>
    )
  }
  if (total === undefined || target.isPending) {
    return (
      <>
        <SessionHeader name={session} branch={branch} outline={outline.shown} />
        <div className="mx-auto w-full max-w-3xl px-4 py-4 sm:px-6">
          <Loading rows={12} label="Reading the session …" />
        </div>
      </>
    )
  }
  if (total === 0) {
    return (
      <>
        <SessionHeader name={session} branch={branch} outline={outline.shown} />
        <Empty hint="Its log has records, but none that a person would read.">Nothing was said in it.</Empty>
      </>
    )
  }
  return (
    <SessionReader
      // A place in the reading is a place on one branch.
      key={`${session} ${branch ?? ''}`}
      reading={reading}
      opening={{ total, offset: target.sizeBytes ?? first.data?.sizeBytes ?? 0 }}
      folder={first.data?.cwd ?? null}
      outline={outline.own}
      head={outline.shown}
      target={target}
      words={q ?? ''}
      query={hits ?? ''}
      at={at}
      place={{ isLeft: isAsLeft, open: open ?? '' }}
      onSearch={(change) =>
        navigate({ search: (before) => ({ ...before, ...change }), replace: !('branch' in change), resetScroll: false })
      }
    />
  )
}

/** Where the address names a point, `SESSION:UUID` or `SESSION:TURN`, it is changed into the row that is meant. */
function PointPage({ name }: { name: string }) {
  const navigate = route.useNavigate()
  useEffect(() => {
    const point = readPoint(name)
    if (!point) return
    const { session, at } = point
    const go = (row: string | undefined) =>
      navigate({ to: '/s/$session', params: { session }, search: row === undefined ? {} : { at: row }, replace: true })
    if (!/^\d{1,6}$/.test(at)) {
      void go(at)
      return
    }
    fetchOp('outline', { session })
      .then(({ turns }) => go(turns.find(({ number }) => number === Number(at))?.prompt?.uuid))
      .catch(() => go(undefined))
  }, [name, navigate])
  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-4 sm:px-6">
      <Loading rows={12} label="Looking for the row …" />
    </div>
  )
}

/** The outline of what is read, and while it comes that of the branch before it, for the head of the page. */
function useOutline(session: string, branch: string | undefined, isReady: boolean) {
  const input = { session, ...(branch !== undefined && { branch }) }
  const { data, isPlaceholderData } = useOp('outline', input, {
    enabled: isReady,
    keepPrevious: true,
    staleMs: Number.POSITIVE_INFINITY,
  })
  const shown = data && isOf(data, session) ? data : undefined
  return { shown, own: isPlaceholderData ? undefined : shown }
}

/** Whether an outline kept from before is of the session that is asked for. A session may be named by other words. */
function isOf({ session, agent }: Outline, name: string): boolean {
  if (name.startsWith('agent-')) return agent !== null && `agent-${agent.id}`.startsWith(name)
  return agent === null && (session.id.startsWith(name) || !/^[0-9a-f]{8}/.test(name))
}
