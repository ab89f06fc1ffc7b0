import { type OpResult, useOp } from '../api.ts'
import { getRouteApi, Link, useNavigate } from '../routing.tsx'
import { SessionLink, useTitles } from '../session-link.tsx'
import { Tag } from '../ui/chip.tsx'
import { Money } from '../ui/figures.tsx'
import { Said } from '../ui/said.tsx'
import { Select } from '../ui/select.tsx'
import { Time } from '../ui/time.tsx'
import { plural, spanText } from '../ui/words.ts'
import { useScope } from '../use-scope.ts'
import { type Fold, ListPage, ListRow } from './list-page.tsx'

const route = getRouteApi('/agents')

type Agent = OpResult<'agents'>['items'][number]

const ORDERS = [
  { value: 'time', text: 'Newest first' },
  { value: 'cost', text: 'Most expensive first' },
  { value: 'size', text: 'Largest first' },
] as const

/** Agents: what each was asked, what it did, what it cost. */
export function AgentsPage() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/agents' })
  const scope = useScope(search.project)
  const sort = ORDERS.find(({ value }) => value === search.sort)?.value ?? 'time'
  const asked = useOp(
    'agents',
    { ...scope, sort, ...(search.show === 'failed' && { failed: true }) },
    { enabled: scope !== undefined, keepPrevious: true },
  )
  const titles = useTitles()
  return (
    <ListPage
      title="Agents"
      about="The subagents of your sessions: what each was asked, what it answered, and what that cost."
      noun={['agent', 'agents']}
      items={asked.data?.items}
      asked={asked}
      hasProjects
      textOf={textOf}
      keyOf={({ file, id }) => `${file} ${id}`}
      row={(agent, fold) => <Row agent={agent} fold={fold} titles={titles} />}
      none={['No agent was started.', 'They appear when Claude hands a part of its work to a subagent.']}
      other={{ show: 'failed', text: 'Failed' }}
      filters={
        <Select
          label="Order"
          value={sort}
          options={ORDERS}
          onChange={(value) => navigate({ search: (now) => ({ ...now, sort: value }) })}
        />
      }
    />
  )
}

const textOf = ({ type, description, prompt, id }: Agent) =>
  `${type ?? ''} ${description ?? ''} ${prompt?.slice(0, 2000) ?? ''} ${id}`

function Row(props: { readonly agent: Agent; readonly fold: Fold; readonly titles: ReadonlyMap<string, string> }) {
  const { agent, fold, titles } = props
  const span = Date.parse(agent.endedAt ?? '') - Date.parse(agent.startedAt ?? '')
  return (
    <ListRow
      fold={fold}
      title={
        <>
          <span className="text-muted">{agent.type ?? 'Agent'}</span>{' '}
          <Said>{agent.description ?? agent.prompt?.split('\n')[0]?.slice(0, 160) ?? agent.id}</Said>
        </>
      }
      aside={<Money usd={agent.costUsd} receipt={`agent-${agent.id}`} />}
      facts={
        <>
          <Time iso={agent.startedAt} />
          {Number.isNaN(span) ? null : <span>{spanText(Math.max(0, span))}</span>}
          <span>{plural(agent.toolUses, 'tool call')}</span>
          {agent.failedAt ? <Tag tone="danger">failed</Tag> : null}
          <span className="flex min-w-0 gap-1">
            for <SessionLink session={agent.session} titles={titles} />
          </span>
        </>
      }
    >
      <dl className="space-y-2 text-sm">
        <Part name="Asked" text={agent.prompt} />
        {agent.failedAt ? <Part name="Failed" text={agent.failedAt.reason} /> : null}
        <Part name="Answered" text={agent.result} />
      </dl>
      <Link
        to="/s/$session"
        params={{ session: `agent-${agent.id}` }}
        className="mt-2 inline-block text-sm text-accent hover:underline"
      >
        Read what it did
      </Link>
    </ListRow>
  )
}

function Part(props: { readonly name: string; readonly text: string | null }) {
  if (!props.text) return null
  return (
    <div>
      <dt className="text-xs text-muted">{props.name}</dt>
      <dd className="whitespace-pre-wrap">
        <Said>{props.text.slice(0, 4000)}</Said>
      </dd>
    </div>
  )
}
