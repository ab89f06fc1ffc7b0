import { useState } from 'react'
import { type OpResult, useOp } from '../api.ts'
import { Link } from '../routing.tsx'
import { projectName, titleText } from '../session-words.ts'
import { Toggle } from '../ui/chip.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Money } from '../ui/figures.tsx'
import { Loading } from '../ui/loading.tsx'
import { Said } from '../ui/said.tsx'
import { countText, plural, spanText } from '../ui/words.ts'
import { zone } from '../zone.ts'

type Recap = OpResult<'recap'>
type Project = Recap['projects'][number]
type Done = Project['sessions'][number]

const PERIODS = [
  { value: 'today', name: 'Today', none: 'Nothing was done today.' },
  { value: 'week', name: 'This week', none: 'Nothing was done this week.' },
] as const

/** So many sessions are told of at first. */
const FIRST = 4

/** What was done today, or this week: the same as `annals today`. */
export function RecapCard(props: { readonly isReady: boolean }) {
  const [chosen, setChosen] = useState<(typeof PERIODS)[number]['value'] | undefined>(undefined)
  const [isAll, setAll] = useState(false)
  const timezone = zone(props.isReady)
  const today = useOp('recap', { period: ['today'], timezone }, { enabled: props.isReady })
  // A day on which nothing was done yet tells less than its week.
  const period = chosen ?? (today.data?.total.sessions === 0 ? 'week' : 'today')
  const week = useOp('recap', { period: ['week'], timezone }, { enabled: props.isReady && period === 'week' })
  const { data, error, refetch } = period === 'today' ? today : week
  const done = data?.projects.flatMap((project) => project.sessions.map((session) => ({ project, session }))) ?? []
  return (
    <section aria-label="What was done" className="min-w-0">
      <div className="flex flex-wrap items-center gap-2">
        {PERIODS.map(({ value, name }) => (
          <Toggle key={value} on={period === value} onChange={() => setChosen(value)}>
            {name}
          </Toggle>
        ))}
        {data && data.total.sessions > 0 ? <p className="text-sm text-muted">{totalText(data.total)}</p> : null}
      </div>
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading rows={3} /> : null}
      {data && done.length === 0 ? (
        <p className="mt-3 text-sm text-muted">{PERIODS.find(({ value }) => value === period)?.none}</p>
      ) : null}
      <ul className="mt-2 divide-y divide-line">
        {(isAll ? done : done.slice(0, FIRST)).map(({ project, session }) => (
          <DoneRow key={`${project.key} ${session.id}`} project={project} session={session} />
        ))}
      </ul>
      {done.length > FIRST ? (
        <button type="button" onClick={() => setAll(!isAll)} className="mt-1 text-sm text-accent hover:underline">
          {isAll ? 'Show fewer' : `Show all ${done.length}`}
        </button>
      ) : null}
    </section>
  )
}

function totalText({ sessions, turns, activeMs, files, commits, failures, openTodos }: Recap['total']): string {
  return [
    plural(sessions, 'session'),
    plural(turns, 'turn'),
    spanText(activeMs),
    files > 0 ? plural(files, 'file') : '',
    commits > 0 ? plural(commits, 'commit') : '',
    failures > 0 ? plural(failures, 'failed call') : '',
    openTodos > 0 ? plural(openTodos, 'open todo') : '',
  ]
    .filter(Boolean)
    .join(' · ')
}

function DoneRow(props: { readonly project: Project; readonly session: Done }) {
  const { project, session } = props
  return (
    <li className="py-1.5">
      <div className="flex items-baseline gap-3">
        <Link to="/s/$session" params={{ session: session.id }} className="min-w-0 flex-1 truncate hover:underline">
          <Said>{titleText(session)}</Said>
        </Link>
        <span className="shrink-0 text-sm text-muted">{spanText(session.activeMs)}</span>
        <Money usd={session.costUsd} receipt={session.id} className="w-16 shrink-0 text-right" />
      </div>
      <p className="truncate text-sm text-muted">
        <Said>{[projectName(project), doneText(session)].filter(Boolean).join(' · ')}</Said>
      </p>
    </li>
  )
}

/** What came of it: commits by their messages, else files by their lines, else what was answered last. */
function doneText({ commits, files, failures, openTodos, lastAnswer }: Done): string {
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  const [commit] = commits
  return [
    commit ? (commit.message?.split('\n')[0] ?? 'committed') : '',
    commits.length > 1 ? `and ${plural(commits.length - 1, 'commit')}` : '',
    files.length > 0 ? `${plural(files.length, 'file')} +${countText(added)} −${countText(removed)}` : '',
    failures > 0 ? plural(failures, 'failed call') : '',
    openTodos > 0 ? plural(openTodos, 'open todo') : '',
    commits.length + files.length === 0 ? (lastAnswer?.replace(/\s+/g, ' ').slice(0, 160) ?? '') : '',
  ]
    .filter(Boolean)
    .join(' · ')
}
