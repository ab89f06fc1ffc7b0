import { meaningOf } from '../../core/tools/meaning-of.ts'
import { resultText } from '../../core/tools/tool-call.ts'
import { Markdown } from '../markdown.tsx'
import { Chevron } from '../ui/chevron.tsx'
import { Money } from '../ui/figures.tsx'
import { FoldButton } from '../ui/fold-button.tsx'
import { bytesText, countText, plural, spanText, tokensText } from '../ui/words.ts'
import { FoldedText } from './folded-text.tsx'
import { NestedConversation } from './nested-conversation.tsx'
import { useIsSought, useOpen } from './open-state.tsx'
import { useSession } from './session-context.tsx'
import type { AgentItem, AgentLine, ToolCall } from './types.ts'
import { readable, visible } from './visible.ts'

interface Props {
  readonly id: string
  /** All that is known of it, where its log was found. */
  readonly agent: AgentItem | undefined
  /** What the call's own row tells of it. */
  readonly line: AgentLine | undefined
  /** The call that started it, where the card stands in the call's place. */
  readonly call: ToolCall | undefined
}

/** Deeper than this an agent is opened on a page of its own. */
const DEEPEST = 4

/** An agent in the place where it was started: asked, did, returned, cost, and where it failed. */
export function AgentCard({ id, agent, line, call }: Props) {
  const { depth, session } = useSession()
  const meaning = call && meaningOf(call)
  const meant = meaning?.kind === 'agent' ? meaning : undefined
  const answer = call && call.result !== null ? resultText(call) : null
  const asked = agent?.prompt ?? meant?.prompt ?? null
  const returned = agent?.result ?? answer
  const isSought = useIsSought([asked ?? '', returned ?? ''])
  const [isOpen, setOpen] = useOpen(`agent:${id}`, isSought)
  const [isInside, setInside] = useOpen(`inside:${id}`, false)
  const failed = agent?.failedAt?.reason ?? line?.failed ?? (call?.isError ? answer : null)
  const type = agent?.type ?? line?.type ?? meant?.type ?? 'agent'
  const description = agent?.description ?? line?.description ?? meant?.description ?? ''
  const agentId = agent?.id ?? line?.id
  const cost = agent?.costUsd ?? line?.costUsd ?? null
  return (
    <section
      aria-label={`Agent: ${description || type}`}
      className={`my-1 overflow-hidden rounded-md border bg-surface ${failed ? 'border-danger' : 'border-line'}`}
    >
      <div className="flex items-baseline gap-2 pr-3 text-sm hover:bg-sunk">
        <button
          type="button"
          data-fold
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-w-0 flex-1 items-baseline gap-2 py-1.5 pl-3 text-left"
        >
          <Chevron isOpen={isOpen} />
          <span aria-hidden="true" className="text-accent">
            ◆
          </span>
          <span className="max-w-[40%] shrink-0 truncate font-medium">{visible(type.slice(0, 200))}</span>
          <span className="min-w-0 flex-1 truncate text-muted">{visible(description.slice(0, 500))}</span>
          <Did agent={agent} line={line} call={call} />
          {failed !== null && <span className="text-danger">✗ failed</span>}
        </button>
        {cost !== null && (
          <Money usd={cost} receipt={agentId ? `agent-${agentId}` : session} className="text-xs text-muted" />
        )}
      </div>
      {isOpen && (
        <div className="divide-y divide-line border-t border-line">
          {asked !== null && <Part id={`${id}/asked`} title="Asked" text={asked} isProse={false} />}
          {failed !== null && (
            <div className="bg-danger-soft px-3 py-2">
              <p className="text-xs font-medium text-danger">Failed</p>
              <p className="break-words whitespace-pre-wrap text-danger">{readable(failed)}</p>
              {agent?.failedAt && (
                <p className="font-mono text-xs break-all text-muted">
                  {visible(agent.failedAt.file)}:{agent.failedAt.line}
                </p>
              )}
            </div>
          )}
          {returned !== null && returned !== failed && (
            <Part id={`${id}/returned`} title="Returned" text={returned} isProse />
          )}
          {agent && <Unseen agent={agent} />}
          {agentId !== undefined && (
            <div>
              <div className="flex flex-wrap gap-x-4 px-3 py-1.5 text-sm">
                {depth < DEEPEST && (
                  <FoldButton isOpen={isInside} onToggle={() => setInside(!isInside)}>
                    {isInside ? 'Fold its conversation' : 'Read its conversation here'}
                  </FoldButton>
                )}
                <a href={`/s/agent-${encodeURIComponent(agentId)}`} className="text-accent underline">
                  On a page of its own
                </a>
              </div>
              {isInside && <NestedConversation agentId={agentId} />}
            </div>
          )}
        </div>
      )}
    </section>
  )
}

function Did({ agent, line, call }: Omit<Props, 'id'>) {
  const tools = agent?.toolUses ?? line?.toolUses ?? null
  const took = agent ? tookMs(agent) : (call?.durationMs ?? null)
  return (
    <span className="flex shrink-0 gap-2 text-xs whitespace-nowrap text-muted">
      {tools !== null && <span>{plural(tools, 'tool')}</span>}
      {took !== null && took > 0 && <span className="max-sm:hidden">{spanText(took)}</span>}
    </span>
  )
}

function tookMs({ reported, startedAt, endedAt }: AgentItem): number | null {
  const ms = Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')
  return reported.durationMs ?? (Number.isNaN(ms) ? null : ms)
}

function Part({ id, title, text, isProse }: { id: string; title: string; text: string; isProse: boolean }) {
  return (
    <div className="px-3 py-2">
      <p className="text-xs font-medium text-muted">{title}</p>
      <FoldedText id={id} text={text}>
        {(shown) =>
          isProse ? <Markdown text={shown} /> : <p className="break-words whitespace-pre-wrap">{readable(shown)}</p>
        }
      </FoldedText>
    </div>
  )
}

/** How much of what an agent did never reached the one who asked. */
function Unseen({ agent }: { agent: AgentItem }) {
  const seen = new TextEncoder().encode(agent.result ?? '').length
  return (
    <p className="px-3 py-1.5 text-sm text-muted">
      Its parent saw {agent.result === null ? 'no answer' : `only its answer, ${bytesText(seen)}`}. The agent's own log
      has {countText(agent.lines)} lines, {bytesText(agent.sizeBytes)}; it wrote {tokensText(agent.usage.outputTokens)}{' '}
      tokens.
      {agent.models.length > 0 && ` ${agent.models.join(', ')}.`}
    </p>
  )
}
