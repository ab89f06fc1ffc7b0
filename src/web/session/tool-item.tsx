import { useMemo } from 'react'
import { spanText } from '../ui/words.ts'
import { AgentCard } from './agent-card.tsx'
import { changeOf } from './change.ts'
import { useIsSought, useOpen } from './open-state.tsx'
import { useSession } from './session-context.tsx'
import { endingOf, type ToolCall, textsOf, toolCallOf } from './tool-call.ts'
import { toolWords } from './tool-words.ts'
import { ChangeCount } from './tools/diff-view.tsx'
import { ToolBody } from './tools/tool-body.tsx'
import type { RowItem } from './types.ts'
import { visible } from './visible.ts'

const AGENT_TOOLS = new Set(['Task', 'Agent'])

/** A tool call: one line that opens into all of it. A call that started agents shows them. */
export function ToolItem({ item }: { item: RowItem }) {
  const { agents } = useSession()
  const call = useMemo(() => toolCallOf(item), [item])
  if (call.agents.length === 0 && AGENT_TOOLS.has(call.name)) {
    return <AgentCard id={call.id} agent={undefined} line={undefined} call={call} />
  }
  const isFlow = call.agents.length > 0 && !AGENT_TOOLS.has(call.name)
  return (
    <>
      {(call.agents.length === 0 || isFlow) && <ToolLine call={call} item={item} />}
      {call.agents.map((line) => (
        <AgentCard
          key={line.id}
          id={`${call.id}/${line.id}`}
          agent={agents.get(line.id)}
          line={line}
          call={isFlow ? undefined : call}
        />
      ))}
    </>
  )
}

function ToolLine({ call, item }: { call: ToolCall; item: RowItem }) {
  const { folder } = useSession()
  const { file, offset, length } = item
  const { label, what, isCode } = toolWords(call, folder)
  const isSought = useIsSought(textsOf(call))
  const [isOpen, setOpen] = useOpen(`tool:${call.id}`, isSought || isShownAtOnce(call))
  const change = useMemo(() => changeOf(call), [call])
  return (
    <div>
      <button
        type="button"
        data-fold
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="-mx-2 flex w-[calc(100%+1rem)] min-w-0 items-baseline gap-2 rounded px-2 py-0.5 text-left text-sm hover:bg-sunk"
      >
        <Chevron isOpen={isOpen} />
        <span className="max-w-[45%] shrink-0 truncate font-medium">{visible(label)}</span>
        <span className={`min-w-0 flex-1 truncate text-muted ${isCode ? 'font-mono text-[0.8125rem]' : ''}`}>
          {visible(what)}
        </span>
        {change && endingOf(call) === 'good' && <ChangeCount {...change} />}
        <Outcome call={call} />
      </button>
      {isOpen && (
        <div className="mt-1 mb-2 ml-4">
          <ToolBody call={call} place={{ file, offset, length, answers: call.id }} />
        </div>
      )}
    </div>
  )
}

/** Questions and plans are part of what was said; they need no opening. */
function isShownAtOnce({ name }: ToolCall): boolean {
  return name === 'AskUserQuestion' || name === 'ExitPlanMode' || name === 'exit_plan_mode'
}

/** The sign of a fold. */
export function Chevron({ isOpen }: { isOpen: boolean }) {
  return (
    <span aria-hidden="true" className="w-3 shrink-0 text-[0.625rem] text-muted">
      {isOpen ? '▼' : '▶'}
    </span>
  )
}

/** How a call ended, and how long it took. */
function Outcome({ call }: { call: ToolCall }) {
  const ending = endingOf(call)
  const took = call.durationMs !== null && call.durationMs >= 1000 ? spanText(call.durationMs) : ''
  return (
    <span className="shrink-0 text-xs whitespace-nowrap">
      {ending === 'good' && <Sign look="text-added" sign="✓" name="worked" />}
      {ending === 'bad' && <Sign look="text-danger" sign="✗" name="failed" />}
      {ending === 'bad' && call.exitCode !== null && <span className="text-danger"> exit {call.exitCode}</span>}
      {ending === 'declined' && <span className="text-warn">declined</span>}
      {ending === 'interrupted' && <span className="text-warn">interrupted</span>}
      {ending === 'open' && <span className="text-muted">no answer</span>}
      {took !== '' && <span className="text-muted"> {took}</span>}
    </span>
  )
}

function Sign({ look, sign, name }: { look: string; sign: string; name: string }) {
  return (
    <span role="img" aria-label={name} className={look}>
      {sign}
    </span>
  )
}
