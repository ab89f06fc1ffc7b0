import { useMemo } from 'react'
import { type OpResult, useOp } from './api.ts'
import { Markdown } from './markdown.tsx'
import { ProjectSelect } from './project-select.tsx'
import { getRouteApi, Link, useNavigate } from './routing.tsx'
import { SessionLink } from './session-link.tsx'
import { projectName, titleText } from './session-words.ts'
import { Tag } from './ui/chip.tsx'
import { CopyButton } from './ui/copy-button.tsx'
import { Empty } from './ui/empty.tsx'
import { ErrorBox } from './ui/error-box.tsx'
import { Loading } from './ui/loading.tsx'
import { Page } from './ui/page.tsx'
import { Said } from './ui/said.tsx'
import { Time } from './ui/time.tsx'
import { plural } from './ui/words.ts'
import { useScope } from './use-scope.ts'

const route = getRouteApi('/plans')

type Plan = OpResult<'plans'>['items'][number]

/** Plans: a list, and beside it the one that is read. */
export function PlansPage() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/plans' })
  const scope = useScope(search.project)
  const { data, error, refetch } = useOp(
    'plans',
    { ...scope, ...(search.session !== undefined && { session: search.session }) },
    { enabled: scope !== undefined },
  )
  const plans = useMemo(() => eachOnce(data?.items ?? []), [data])
  const sessions = useOp('sessions', {})
  const projects = new Map(sessions.data?.items.map(({ id, project }) => [id, projectName(project)]))
  const titles = new Map(sessions.data?.items.map((item) => [item.id, titleText(item)]))
  const projectOf = ({ session }: Plan) => projects.get(session ?? '') ?? ''
  const chosen = plans.find((plan) => keyOf(plan) === search.plan)
  const shown = chosen ?? plans[0]
  return (
    <Page
      title="Plans"
      aside={data ? <span className="text-sm text-muted">{plural(plans.length, 'plan')}</span> : null}
    >
      <div className="mb-4 flex flex-wrap gap-2">
        <ProjectSelect
          value={search.project}
          onChange={(project) => navigate({ search: (now) => ({ ...now, project, plan: undefined }) })}
        />
      </div>
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading label="Looking for plans …" /> : null}
      {data && plans.length === 0 ? (
        <Empty hint="They appear when Claude plans before it works (shift-tab in Claude Code).">
          There is no plan.
        </Empty>
      ) : null}
      {shown ? (
        <div className="grid gap-6 md:grid-cols-[16rem_minmax(0,1fr)]">
          <nav aria-label="Plans" className="max-h-60 overflow-y-auto md:max-h-[75dvh]">
            <ul className="space-y-0.5">
              {plans.map((plan) => (
                <li
                  key={`${plan.file} ${plan.offset ?? ''}`}
                  className="[contain-intrinsic-size:auto_3.25rem] [content-visibility:auto]"
                >
                  <Link
                    to="/plans"
                    search={(now) => ({ ...now, plan: keyOf(plan) })}
                    resetScroll={false}
                    aria-current={plan === shown ? 'true' : undefined}
                    className={`block rounded-md px-2 py-1.5 ${plan === shown ? 'bg-accent-soft' : 'hover:bg-sunk'}`}
                  >
                    <Said className="block truncate">{plan.title ?? 'Untitled'}</Said>
                    <span className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted">
                      <Time iso={plan.timestamp} />
                      <Said>{projectOf(plan)}</Said>
                      <span className={plan === shown ? 'text-ink' : lookOf(plan)}>{statusOf(plan)}</span>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <Document plan={shown} project={projectOf(shown)} titles={titles} />
        </div>
      ) : null}
    </Page>
  )
}

/** A plan that was asked about lies in plans/, too: it is told once, with what became of it. */
function eachOnce(plans: readonly Plan[]): readonly Plan[] {
  const asked = new Set(plans.flatMap(({ from, text }) => (from === 'plans' ? [] : [text.trim()])))
  return plans.filter(({ from, text }) => from !== 'plans' || !asked.has(text.trim()))
}

/** What an address calls a plan. */
function keyOf({ slug, session, line, file }: Plan): string {
  return slug ?? `${session ?? file}:${line ?? 0}`
}

/** What became of a plan. */
function statusOf({ accepted, from }: Plan): string {
  if (accepted !== null) return accepted ? 'accepted' : 'rejected'
  return from === 'plans' ? 'a file' : 'not answered'
}

function lookOf({ accepted }: Plan): string {
  return accepted === false ? 'text-warn' : accepted ? 'text-live' : ''
}

function Document(props: {
  readonly plan: Plan
  readonly project: string
  readonly titles: ReadonlyMap<string, string>
}) {
  const { plan, project, titles } = props
  return (
    <article aria-label={plan.title ?? 'Plan'} className="min-w-0">
      <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <Time iso={plan.timestamp} as="moment" />
        {project === '' ? null : <Said>{project}</Said>}
        <Tag tone={plan.accepted === false ? 'warn' : plan.accepted ? 'accent' : 'plain'}>{statusOf(plan)}</Tag>
        {plan.session !== null ? <SessionLink session={plan.session} agent={plan.agent} titles={titles} /> : null}
        <span title={plan.file}>{plan.from === 'plans' ? 'from plans/' : 'from a log'}</span>
        <CopyButton text={plan.text} label="Copy this plan as markdown" />
      </p>
      <Markdown text={plan.text} className="rounded-lg border border-line bg-surface p-4 sm:p-6" />
    </article>
  )
}
