import { useMemo, useState } from 'react'
import { forksUnderOriginals, type ListedFork } from '../../core/tree/fork-order.ts'
import { useAbout } from '../api.ts'
import { Link, useNavigate } from '../routing.tsx'
import { visible } from '../session/visible.ts'
import { copyResume, star } from '../session-actions.ts'
import { distinctNames, type SessionLine, titleText } from '../session-words.ts'
import { Tag } from '../ui/chip.tsx'
import { Money } from '../ui/figures.tsx'
import { usePageKeys } from '../ui/page-keys.ts'
import { Said } from '../ui/said.tsx'
import { sortedBy } from '../ui/sorting.ts'
import { SortButton } from '../ui/table.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { useKeys } from '../ui/use-keys.ts'
import { useListKeys } from '../ui/use-list-keys.ts'
import { VirtualList } from '../ui/virtual-list.tsx'
import { daysBetween, MONTHS, spanText } from '../ui/words.ts'
import { whenUsed } from '../when-used.tsx'

const ActionsDialog = whenUsed(async () => (await import('../windows.ts')).ActionsDialog)

type Row = { readonly heading: string } | (ListedFork<SessionLine> & { readonly index: number })

const KEYS = [
  { keys: ['j', 'k'], does: 'Next and previous session' },
  { keys: ['Enter'], does: 'Open it' },
  { keys: ['s'], does: 'Add or remove a star' },
  { keys: ['r'], does: 'Copy the command that resumes it' },
  { keys: ['a'], does: 'All that can be done with it' },
] as const

const GRID =
  'sm:grid-cols-[1.25rem_minmax(0,1fr)_minmax(0,13rem)_5.5rem_4.5rem_4.5rem_1.75rem] grid-cols-[1.25rem_minmax(0,1fr)_auto_1.75rem] gap-x-2 sm:gap-x-4'

/** The sessions, sorted by a column; by time they stand under their days and months, forks under their originals. */
export function SessionList(props: {
  readonly sessions: readonly SessionLine[]
  readonly sort: string | undefined
  readonly onSort: (by: string | undefined) => void
}) {
  const { sessions, sort } = props
  const now = useNow()
  const navigate = useNavigate()
  const isDemo = useAbout()?.isDemo ?? true
  const [chosen, setChosen] = useState<SessionLine | undefined>(undefined)
  const names = useMemo(() => distinctNames(sessions.map(({ project }) => project.path ?? project.key)), [sessions])
  const nameOf = (session: SessionLine) => names.get(session.project.path ?? session.project.key) ?? ''
  const columns = useMemo(() => columnsOf(names), [names])
  const lines = useMemo(
    () =>
      sort === undefined
        ? forksUnderOriginals(sessions)
        : sortedBy(sessions, columns, sort).map((session) => ({ session, depth: 0, first: session })),
    [sessions, columns, sort],
  )
  const rows = useMemo(() => rowsOf(lines, sort === undefined ? now : undefined), [lines, now, sort])
  const [active] = useListKeys(lines.length, (index) => {
    const session = lines[index]?.session
    if (session) navigate({ to: '/s/$session', params: { session: session.id } })
  })
  const at = lines[active]?.session
  usePageKeys(KEYS)
  useKeys({
    s: () => at && !isDemo && void star(at, !at.starred),
    r: () => at && void copyResume(at),
    a: () => setChosen(at),
  })
  const activeRow = active < 0 ? -1 : rows.findIndex((row) => 'session' in row && row.index === active)
  return (
    <>
      <div className={`-mx-2 hidden items-baseline px-2 pt-2 text-sm text-muted sm:grid ${GRID}`}>
        <span />
        {columns.map((column) => (
          <span key={column.name} className={column.isFigure ? 'text-right' : ''}>
            <SortButton
              column={column}
              by={sort ?? '-Last'}
              onSort={(by) => props.onSort(by === '-Last' ? undefined : by)}
            />
          </span>
        ))}
        <span />
      </div>
      <VirtualList
        label="Sessions"
        items={rows}
        keyOf={(row) =>
          'heading' in row ? row.heading : (row.session.file ?? `${row.session.root} ${row.session.id}`)
        }
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
              project={nameOf(row.session)}
              isActive={row.index === active}
              isDemo={isDemo}
              onActions={() => setChosen(row.session)}
            />
          )
        }
      </VirtualList>
      {chosen ? <ActionsDialog session={chosen} onClose={() => setChosen(undefined)} /> : null}
    </>
  )
}

/** What one can sort by. */
function columnsOf(names: ReadonlyMap<string, string>) {
  return [
    { name: 'Session', value: (one: SessionLine) => titleText(one).toLowerCase() },
    { name: 'Project', value: (one: SessionLine) => names.get(one.project.path ?? one.project.key)?.toLowerCase() },
    { name: 'Last', isFigure: true, value: (one: SessionLine) => one.updatedAt },
    { name: 'Active', isFigure: true, value: (one: SessionLine) => one.activeMs },
    { name: 'Cost', isFigure: true, value: (one: SessionLine) => one.costUsd },
  ]
}

function rowsOf(lines: readonly ListedFork<SessionLine>[], now: number | undefined): readonly Row[] {
  const rows: Row[] = []
  let last = ''
  for (const [index, line] of lines.entries()) {
    const heading = now === undefined ? '' : headingOf(line.first, now)
    if (heading !== last) rows.push({ heading })
    last = heading
    rows.push({ ...line, index })
  }
  return rows
}

/** The last days by name, then the months. */
function headingOf({ updatedAt }: SessionLine, now: number): string {
  const ms = updatedAt === null ? Number.NaN : Date.parse(updatedAt)
  if (Number.isNaN(ms)) return 'Without a time'
  const days = daysBetween(ms, now)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days < 7) return 'Last 7 days'
  const date = new Date(ms)
  return `${MONTHS[date.getMonth()]} ${date.getFullYear()}`
}

function SessionRow(props: {
  readonly session: SessionLine
  readonly depth: number
  readonly project: string
  readonly isActive: boolean
  readonly isDemo: boolean
  readonly onActions: () => void
}) {
  const { session, depth, project } = props
  const where = session.gitBranch === null || session.gitBranch === '' ? project : `${project} · ${session.gitBranch}`
  return (
    <div
      data-active={props.isActive || undefined}
      className={`group relative -mx-2 grid items-baseline rounded-md px-2 py-1.5 ${GRID} ${
        props.isActive ? 'bg-accent-soft' : 'hover:bg-sunk'
      }`}
    >
      <Star session={session} isDemo={props.isDemo} />
      <span className="flex min-w-0 items-baseline gap-2" style={{ paddingLeft: `${Math.max(0, depth - 1)}rem` }}>
        <Link
          to="/s/$session"
          params={{ session: session.id }}
          className="min-w-0 truncate after:absolute after:inset-0 after:rounded-md"
        >
          <ForkMark session={session} depth={depth} />
          {session.status === 'live' ? <Dot /> : null}
          <Said>{titleText(session)}</Said>
        </Link>
        {session.tags.map((tag) => (
          <Tag key={tag}>{visible(tag)}</Tag>
        ))}
        {session.inherited !== null && session.inherited.responses > 0 ? (
          <span className="relative z-1 hidden shrink-0 text-sm text-muted lg:inline">
            <Money usd={session.inherited.costUsd} receipt={session.id} isPart /> inherited
          </span>
        ) : null}
      </span>
      <span
        className="col-start-2 row-start-2 truncate text-sm text-muted sm:col-auto sm:row-auto"
        title={session.project.path ?? session.project.key}
      >
        <Said>{where}</Said>
      </span>
      <span className="col-start-3 row-start-2 text-right text-sm whitespace-nowrap text-muted sm:col-auto sm:row-auto">
        <Time iso={session.updatedAt} />
      </span>
      <span className="hidden text-right text-sm whitespace-nowrap text-muted sm:block">{stateText(session)}</span>
      <span className="relative z-1 col-start-3 row-start-1 text-right sm:col-auto sm:row-auto">
        {isCounted(session) ? <Money usd={session.costUsd} receipt={session.id} /> : null}
      </span>
      <button
        type="button"
        onClick={props.onActions}
        aria-label={`Actions for ${titleText(session)}`}
        title="Rename, tag, keep, export, resume …"
        className="relative z-1 col-start-4 row-start-1 rounded text-muted opacity-60 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100 sm:col-auto sm:row-auto"
      >
        <span aria-hidden="true">⋯</span>
      </button>
    </div>
  )
}

function Star(props: { readonly session: SessionLine; readonly isDemo: boolean }) {
  const { session } = props
  if (props.isDemo) return <span>{session.starred ? '★' : ''}</span>
  return (
    <button
      type="button"
      aria-pressed={session.starred}
      aria-label={`Star ${titleText(session)}`}
      title={session.starred ? 'Remove star' : 'Add star'}
      onClick={() => void star(session, !session.starred)}
      className={`relative z-1 rounded text-sm ${
        session.starred ? 'text-warn' : 'text-muted opacity-0 group-hover:opacity-100 focus-visible:opacity-100'
      }`}
    >
      <span aria-hidden="true">{session.starred ? '★' : '☆'}</span>
    </button>
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
    <span title="Running now" className="mr-1.5 text-live">
      <span aria-hidden="true">●</span>
      <span className="sr-only">Running now: </span>
    </span>
  )
}

/** How long was worked on it; for a log that holds no conversation, what it is. */
function stateText(session: SessionLine): string {
  if (session.kind === 'gone') return session.kept ? 'archived' : 'gone'
  if (session.kind !== 'conversation') return session.kind.replace('-', ' ')
  return spanText(session.activeMs || null)
}
