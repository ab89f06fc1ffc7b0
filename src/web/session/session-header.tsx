import type { ReactNode } from 'react'
import { KeepButton } from '../keep-button.tsx'
import { Link, TabLink } from '../routing.tsx'
import { projectName, titleText } from '../session-words.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Money } from '../ui/figures.tsx'
import { useTitle } from '../ui/page.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { daysBetween, plural, spanText } from '../ui/words.ts'
import { resumeCommand } from './resume-command.ts'
import { SessionActions } from './session-actions.tsx'
import type { Outline } from './types.ts'
import { visible } from './visible.ts'

const TABS = [
  { to: '/s/$session', name: 'Conversation' },
  { to: '/s/$session/tree', name: 'Tree' },
  { to: '/s/$session/timeline', name: 'Timeline' },
  { to: '/s/$session/context', name: 'Context' },
  { to: '/s/$session/files', name: 'Files' },
] as const

interface Props {
  /** As the address names it. */
  readonly name: string
  readonly branch: string | undefined
  readonly outline: Pick<Outline, 'session' | 'agent'> | undefined
  /** Prints all of it, where that can be done. */
  /** What stands beside the tabs. */
  readonly children?: ReactNode
}

/** What every page of a session begins with: its title, the facts, what one can copy, and its other pages. */
export function SessionHeader({ name, branch, outline, children }: Props) {
  const title = outline ? headTitle(outline) : 'Session'
  useTitle(title)
  return (
    <header className="shrink-0 border-b border-line bg-surface px-4 pt-2.5 sm:px-6">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h1 className="flex min-w-0 items-center gap-2 text-lg leading-7 font-semibold tracking-tight">
            {outline?.session.status === 'live' && <LiveDot />}
            {outline?.agent && (
              <span aria-hidden="true" className="text-accent">
                ◆
              </span>
            )}
            <span dir="auto" className="truncate" title={title}>
              {title}
            </span>
          </h1>
        </div>
        <div className="flex shrink-0 items-center">
          {outline && !outline.agent && (
            <CopyButton text={resumeCommand(outline.session)} label="Copy the command that resumes this session">
              Resume
            </CopyButton>
          )}
          {/* A phone has no room for these: its own way of sharing an address, and a window that keeps a session too. */}
          <span className="flex items-center max-sm:hidden">
            {outline && !outline.agent && !outline.session.kept && (
              <KeepButton
                what={{ session: outline.session.id }}
                look="quiet"
                label="Keep this session in the archive, beyond the day Claude Code deletes it"
              >
                Keep
              </KeepButton>
            )}
            <CopyButton text={() => location.href} label="Copy the address of this page">
              Link
            </CopyButton>
          </span>
          {outline && !outline.agent && <SessionActions session={outline.session} />}
        </div>
      </div>
      {/* As high before the facts are known as after: what is read below must not move for them. */}
      <div className="h-5.5 overflow-hidden max-sm:h-11">{outline && <Facts outline={outline} />}</div>
      <div className="flex flex-wrap items-center gap-x-2">
        <nav aria-label="Pages of the session" className="flex max-w-full overflow-x-auto whitespace-nowrap">
          {TABS.map((tab) => (
            <TabLink
              key={tab.to}
              to={tab.to}
              params={{ session: name }}
              search={branch === undefined || tab.name === 'Files' ? {} : { branch }}
              isExact
              className="border-b-2 border-transparent px-2 py-1.5 text-sm text-muted hover:text-ink first:pl-0"
              activeClass="border-accent! text-ink! font-medium"
            >
              {tab.name}
            </TabLink>
          ))}
        </nav>
        <div className="ml-auto flex shrink-0 items-center">{children}</div>
      </div>
    </header>
  )
}

/** What a session or an agent is called. */
function headTitle({ session, agent }: Pick<Outline, 'session' | 'agent'>): string {
  if (!agent) return visible(titleText(session))
  return visible(`${agent.type ?? 'Agent'}: ${agent.description ?? agent.id}`)
}

function LiveDot() {
  return (
    <span
      role="img"
      aria-label="Live"
      title="A client is writing this session now"
      className="shrink-0 text-sm text-live"
    >
      ●
    </span>
  )
}

function Facts({ outline: { session, agent } }: { outline: Pick<Outline, 'session' | 'agent'> }) {
  const took = agent ? agentSpan(agent) : session.activeMs
  return (
    <p className="flex flex-wrap gap-x-1.5 text-sm text-muted [&>:not(:last-child)]:after:ml-1.5 [&>:not(:last-child)]:after:content-['·']">
      {agent && (
        <span>
          agent of{' '}
          <Link to="/s/$session" params={{ session: session.id }} className="text-accent underline">
            {visible(titleText(session)).slice(0, 60)}
          </Link>
        </span>
      )}
      <span title={session.project.path ?? session.project.key}>{visible(projectName(session.project))}</span>
      {session.gitBranch !== null && session.gitBranch !== '' && <span>{visible(session.gitBranch)}</span>}
      {session.tags.map((tag) => (
        <span key={tag} className="text-accent">
          #{visible(tag)}
        </span>
      ))}
      <Time iso={agent ? agent.startedAt : session.updatedAt} />
      {took !== null && took > 0 && (
        <span title={agent ? 'From its first row to its last' : ACTIVE}>
          {agent ? spanText(took) : `${spanText(took)} active`}
        </span>
      )}
      {agent && <span>{plural(agent.toolUses, 'tool')}</span>}
      <span>
        <Money usd={agent ? agent.costUsd : session.costUsd} receipt={agent ? `agent-${agent.id}` : session.id} />
      </span>
      {!agent && session.inherited !== null && session.inherited.responses > 0 && (
        <span title="What its copied rows cost in the session they come from">
          <Money usd={session.inherited.costUsd} receipt={session.id} isPart /> inherited
        </span>
      )}
      {!agent && <Expiry session={session} />}
    </p>
  )
}

const ACTIVE = 'How long was worked on it, as lists tell it; the timeline has the waits'

function agentSpan({ startedAt, endedAt }: NonNullable<Outline['agent']>): number | null {
  const ms = Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')
  return Number.isNaN(ms) ? null : ms
}

const SOON_DAYS = 7

function Expiry({ session }: { session: Outline['session'] }) {
  const now = useNow()
  if (session.kept) return <span title="annals has a copy of its own">kept</span>
  const at = Date.parse(session.expiresAt ?? '')
  if (Number.isNaN(at)) return null
  const days = daysBetween(now, at)
  const text = days > 1 ? `expires in ${days} d` : days === 1 ? 'expires tomorrow' : 'expires today'
  return (
    <span className={days <= SOON_DAYS ? 'text-warn' : ''} title={session.expiresAt ?? ''}>
      {text}
    </span>
  )
}

/** A tool of the page, in the row of the tabs. */
export function HeadButton(props: {
  readonly label: string
  readonly isOn?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
  readonly className?: string
}) {
  return (
    <Button
      look="quiet"
      aria-label={props.label}
      title={props.label}
      aria-pressed={props.isOn}
      onClick={props.onClick}
      className={`${props.isOn ? 'text-accent!' : ''} ${props.className ?? ''}`}
    >
      {props.children}
    </Button>
  )
}
