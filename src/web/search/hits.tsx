import { useEffect, useRef } from 'react'
import { type OpResult, useOp } from '../api.ts'
import { Link } from '../routing.tsx'
import { projectName, titleText } from '../session-words.ts'
import { Tag } from '../ui/chip.tsx'
import { Marked } from '../ui/marked.tsx'
import { Time } from '../ui/time.tsx'
import { plural } from '../ui/words.ts'

/** One place where the words stand. */
export type Hit = OpResult<'search'>['hits'][number]

/** A session in which something was found, with those of its hits that were fetched, in the order they were found. */
export interface HitGroup extends Readonly<OpResult<'search'>['groups'][number]> {
  readonly hits: readonly Hit[]
}

/** Hits under their sessions. The active one is kept in view. */
export function Hits(props: { readonly groups: readonly HitGroup[]; readonly active: Hit | undefined }) {
  const sessions = useOp('sessions', {})
  const titles = new Map(sessions.data?.items.map((item) => [item.id, item]))
  return (
    <div className="space-y-5">
      {props.groups.map(({ session, project, count, hits }) => {
        const known = titles.get(session)
        return (
          <section key={session} aria-label={known ? titleText(known) : session}>
            <h2 className="mb-1 flex items-baseline justify-between gap-4">
              <Link
                to="/s/$session"
                params={{ session }}
                className="truncate font-semibold [unicode-bidi:isolate] hover:underline"
              >
                {known ? titleText(known) : session}
              </Link>
              <span className="max-w-[40%] shrink-0 truncate text-sm font-normal text-muted [unicode-bidi:isolate]">
                {projectName(project)}
              </span>
            </h2>
            {hits.length > 0 && (
              <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
                {hits.map((hit) => (
                  <li key={`${hit.file} ${hit.offset}`}>
                    <HitRow hit={hit} isActive={hit === props.active} />
                  </li>
                ))}
              </ul>
            )}
            {hits.length < count && (
              <Link
                to="/search"
                search={(now) => ({ ...now, session })}
                className="mt-1 block text-sm text-muted hover:underline"
              >
                {hits.length === 0 ? plural(count, 'hit') : `All ${plural(count, 'hit')}`} of this session
              </Link>
            )}
          </section>
        )
      })}
    </div>
  )
}

function HitRow(props: { readonly hit: Hit; readonly isActive: boolean }) {
  const { hit } = props
  const ref = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (props.isActive) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [props.isActive])
  return (
    <Link
      ref={ref}
      to="/s/$session"
      params={{ session: sessionOf(hit) }}
      search={{ at: hit.uuid ?? undefined }}
      data-active={props.isActive || undefined}
      className={`block px-3 py-2 first:rounded-t-lg last:rounded-b-lg ${props.isActive ? 'bg-accent-soft' : 'hover:bg-sunk'}`}
    >
      <span className="flex flex-wrap items-baseline gap-x-2 text-sm text-muted">
        <span className={hit.role === 'user' ? 'font-medium text-prompt-edge' : 'font-medium'}>{whoText(hit)}</span>
        <Tag tone={hit.kind === 'error' ? 'danger' : 'plain'}>{hit.kind.replace('-', ' ')}</Tag>
        <Time iso={hit.timestamp} className="ml-auto" />
      </span>
      <span className="mt-0.5 line-clamp-3 text-sm [unicode-bidi:isolate]">
        {hit.snippet === null ? (
          <em className="text-muted">Its log is gone; only the index still knows it.</em>
        ) : (
          <Marked text={hit.snippet} matches={hit.matches} />
        )}
      </span>
    </Link>
  )
}

const WHO: ReadonlyMap<string, string> = new Map([
  ['user', 'You'],
  ['assistant', 'Claude'],
  ['tool', 'Tool'],
  ['system', 'System'],
])

function whoText({ role, agent }: Hit): string {
  if (agent === null) return WHO.get(role) ?? role
  return role === 'assistant' ? 'Agent' : role === 'user' ? 'To an agent' : `${WHO.get(role) ?? role} of an agent`
}

/** Whose conversation a hit stands in: the session's, or that of one of its agents. */
export function sessionOf({ session, agent }: Hit): string {
  return agent === null ? session : `agent-${agent}`
}
