import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type OpResult, useOp } from './api.ts'
import { Markdown } from './markdown.tsx'
import { ProjectSelect } from './project-select.tsx'
import { Tag } from './ui/chip.tsx'
import { CopyButton } from './ui/copy-button.tsx'
import { Empty } from './ui/empty.tsx'
import { ErrorBox } from './ui/error-box.tsx'
import { Loading } from './ui/loading.tsx'
import { Page } from './ui/page.tsx'
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
  const plans = data?.items ?? []
  const chosen = plans.find((plan) => keyOf(plan) === search.plan)
  const shown = chosen ?? plans[0]
  return (
    <Page title="Plans" aside={data ? <span className="text-sm text-muted">{plural(data.total, 'plan')}</span> : null}>
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
          <nav aria-label="Plans" className="max-h-60 overflow-y-auto md:max-h-none">
            <ul className="space-y-0.5">
              {plans.map((plan) => (
                <li key={`${plan.file} ${plan.offset ?? ''}`}>
                  <Link
                    to="/plans"
                    search={(now) => ({ ...now, plan: keyOf(plan) })}
                    resetScroll={false}
                    aria-current={plan === shown ? 'true' : undefined}
                    className={`block rounded-md px-2 py-1.5 ${plan === shown ? 'bg-accent-soft' : 'hover:bg-sunk'}`}
                  >
                    <span className="block truncate [unicode-bidi:isolate]">{plan.title ?? 'Untitled'}</span>
                    <span className="flex items-baseline gap-2 text-xs text-muted">
                      <Time iso={plan.timestamp} />
                      {plan.accepted === false ? 'rejected' : ''}
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <Document plan={shown} />
        </div>
      ) : null}
    </Page>
  )
}

/** What an address calls a plan. */
function keyOf({ slug, session, line, file }: Plan): string {
  return slug ?? `${session ?? file}:${line ?? 0}`
}

function Document(props: { readonly plan: Plan }) {
  const { plan } = props
  return (
    <article aria-label={plan.title ?? 'Plan'} className="min-w-0">
      <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <Time iso={plan.timestamp} as="moment" />
        {plan.accepted === true ? <Tag tone="accent">accepted</Tag> : null}
        {plan.accepted === false ? <Tag tone="warn">rejected</Tag> : null}
        {plan.session !== null ? (
          <Link to="/s/$session" params={{ session: plan.session }} className="text-accent hover:underline">
            session
          </Link>
        ) : null}
        <span title={plan.file}>{plan.from === 'plans' ? 'from plans/' : 'from a log'}</span>
        <CopyButton text={plan.text} label="Copy this plan as markdown" />
      </p>
      <Markdown text={plan.text} className="rounded-lg border border-line bg-surface p-4 sm:p-6" />
    </article>
  )
}
