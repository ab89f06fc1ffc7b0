import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { forksUnderOriginals, type ListedFork } from '../../core/tree/fork-order.ts'
import { distinctNames, type SessionLine, spanOf, titleText } from '../session-words.ts'
import { Money } from '../ui/figures.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { useListKeys } from '../ui/use-list-keys.ts'
import { VirtualList } from '../ui/virtual-list.tsx'
import { daysBetween, spanText } from '../ui/words.ts'

type Row = { readonly heading: string } | (ListedFork<SessionLine> & { readonly index: number })

/** The sessions under Today, Yesterday and Earlier, forks under their originals. */
export function SessionList(props: { readonly sessions: readonly SessionLine[] }) {
  const { sessions } = props
  const now = useNow()
  const navigate = useNavigate()
  const lines = useMemo(() => forksUnderOriginals(sessions), [sessions])
  const rows = useMemo(() => rowsOf(lines, now), [lines, now])
  const names = useMemo(() => distinctNames(sessions.map(({ project }) => project.path ?? project.key)), [sessions])
  const [active] = useListKeys(lines.length, (index) => {
    const session = lines[index]?.session
    if (session) navigate({ to: '/s/$session', params: { session: session.id } })
  })
  const activeRow = active < 0 ? -1 : rows.findIndex((row) => 'session' in row && row.index === active)
  return (
    <VirtualList
      label="Sessions"
      items={rows}
      keyOf={(row) => ('heading' in row ? row.heading : (row.session.file ?? `${row.session.root} ${row.session.id}`))}
      estimate={(row) => ('heading' in row ? 40 : 38)}
      active={activeRow}
    >
      {(row) =>
        'heading' in row ? (
          <h2 className="pt-4 pb-1 text-sm font-semibold text-muted">{row.heading}</h2>
        ) : (
          <SessionRow
            session={row.session}
            depth={row.depth}
            project={names.get(row.session.project.path ?? row.session.project.key) ?? ''}
            isActive={row.index === active}
          />
        )
      }
    </VirtualList>
  )
}

function rowsOf(lines: readonly ListedFork<SessionLine>[], now: number): readonly Row[] {
  const rows: Row[] = []
  let last = ''
  for (const [index, line] of lines.entries()) {
    const heading = headingOf(line.first, now)
    if (heading !== last) rows.push({ heading })
    last = heading
    rows.push({ ...line, index })
  }
  return rows
}

function headingOf({ updatedAt }: SessionLine, now: number): string {
  const ms = updatedAt === null ? Number.NaN : Date.parse(updatedAt)
  if (Number.isNaN(ms)) return 'Without a time'
  const days = daysBetween(ms, now)
  return days <= 0 ? 'Today' : days === 1 ? 'Yesterday' : 'Earlier'
}

function SessionRow(props: {
  readonly session: SessionLine
  readonly depth: number
  readonly project: string
  readonly isActive: boolean
}) {
  const { session, depth, project } = props
  const isLive = session.status === 'live'
  const where = session.gitBranch === null ? project : `${project} · ${session.gitBranch}`
  return (
    <Link
      to="/s/$session"
      params={{ session: session.id }}
      preload={false}
      data-active={props.isActive || undefined}
      className={`-mx-2 grid grid-cols-[0.75rem_minmax(0,1fr)_auto] items-baseline gap-x-2 rounded-md px-2 py-1.5 sm:grid-cols-[0.75rem_minmax(0,1fr)_minmax(0,14rem)_5.5rem_4.5rem_4.5rem] sm:gap-x-4 ${
        props.isActive ? 'bg-accent-soft' : 'hover:bg-sunk'
      }`}
    >
      <span className="text-live">{isLive ? <Dot /> : null}</span>
      <span className="truncate [unicode-bidi:isolate]" style={{ paddingLeft: `${Math.max(0, depth - 1)}rem` }}>
        <ForkMark session={session} depth={depth} />
        {titleText(session)}
        {session.inherited !== null && session.inherited.responses > 0 ? (
          <span className="text-sm text-muted">
            {' '}
            · <Money usd={session.inherited.costUsd} /> inherited
          </span>
        ) : null}
      </span>
      <span
        className="col-start-2 row-start-2 truncate text-sm text-muted [unicode-bidi:isolate] sm:col-auto sm:row-auto"
        title={session.project.path ?? session.project.key}
      >
        {where}
      </span>
      <span className="col-start-3 row-start-2 text-right text-sm whitespace-nowrap text-muted sm:col-auto sm:row-auto">
        <Time iso={session.updatedAt} />
      </span>
      <span className="hidden text-right text-sm whitespace-nowrap text-muted sm:block">
        {isLive ? <span className="text-live">live</span> : stateText(session)}
      </span>
      <span className="col-start-3 row-start-1 text-right sm:col-auto sm:row-auto">
        {isCounted(session) ? <Money usd={session.costUsd} /> : null}
      </span>
    </Link>
  )
}

/** A fork hangs from its original; one whose original is not listed says that it is one. */
function ForkMark(props: { readonly session: SessionLine; readonly depth: number }) {
  if (props.session.forkedFrom === null) return null
  return (
    <span className="text-muted" title={`Forked from ${props.session.forkedFrom}`}>
      <span aria-hidden="true">{props.depth > 0 ? '└ ' : '⑂ '}</span>
      <span className="sr-only">Fork: </span>
    </span>
  )
}

/** Costs come after the list; until then their place is empty. */
function isCounted({ costUsd, counts }: SessionLine): boolean {
  return costUsd !== null || counts !== null
}

function Dot() {
  return (
    <span title="Running now">
      <span aria-hidden="true">●</span>
      <span className="sr-only">Running now</span>
    </span>
  )
}

/** How long it ran; for a log that holds no conversation, what it is. */
function stateText(session: SessionLine): string {
  if (session.kind === 'gone') return session.kept ? 'archived' : 'gone'
  if (session.kind !== 'conversation') return session.kind.replace('-', ' ')
  return spanText(spanOf(session))
}
