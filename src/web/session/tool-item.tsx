import { useMemo } from 'react'
import type { JsonValue } from '../../core/json.ts'
import { meaningOf } from '../../core/tools/meaning-of.ts'
import type { ToolMeaning } from '../../core/tools/tool-meaning.ts'
import { Chevron } from '../ui/chevron.tsx'
import { spanText } from '../ui/words.ts'
import { AgentCard } from './agent-card.tsx'
import { callWords } from './call-words.ts'
import { changeOf } from './change.ts'
import { useIsSought, useOpen } from './open-state.tsx'
import { useSession } from './session-context.tsx'
import { ChangeCount } from './tools/diff-view.tsx'
import { ToolBody } from './tools/tool-body.tsx'
import type { ToolCall } from './types.ts'
import { visible } from './visible.ts'

/** A tool call: one line that opens into all of it. A call that started agents shows them. */
export function ToolItem({ call }: { call: ToolCall }) {
  const { agents } = useSession()
  const meaning = useMemo(() => meaningOf(call), [call])
  const isAgent = meaning.kind === 'agent'
  if (isAgent && call.agents.length === 0) {
    return <AgentCard id={call.id} agent={undefined} line={undefined} call={call} />
  }
  return (
    <>
      {!isAgent && <ToolLine call={call} meaning={meaning} />}
      {call.agents.map((line) => (
        <AgentCard
          key={line.id}
          id={`${call.id}/${line.id}`}
          agent={agents.get(line.id)}
          line={line}
          call={isAgent ? call : undefined}
        />
      ))}
    </>
  )
}

function ToolLine({ call, meaning }: { call: ToolCall; meaning: ToolMeaning }) {
  const { folder } = useSession()
  const { file, offset, length } = call
  const { label, what, isCode } = callWords(call.name, meaning, folder)
  const isSought = useIsSought([...stringsIn(call.input), call.result ?? ''])
  // Questions and plans are part of what was said; they need no opening.
  const isSaid = meaning.kind === 'question' || meaning.kind === 'plan'
  const [isOpen, setOpen] = useOpen(`tool:${call.id}`, isSought || isSaid)
  const change = useMemo(() => changeOf(meaning, call.patch), [meaning, call.patch])
  const note = meaning.kind === 'shell' ? meaning.returnCodeInterpretation : null
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
        {change && call.outcome === 'done' && <ChangeCount {...change} />}
        {note !== null && <span className="max-w-[30%] truncate text-xs text-muted">{visible(note)}</span>}
        <Outcome call={call} />
      </button>
      {isOpen && (
        <div className={`mt-1 mb-2 ml-4 ${meaning.kind === 'edit' || meaning.kind === 'write' ? WIDE : ''}`}>
          <ToolBody call={call} meaning={meaning} place={{ file, offset, length, answers: call.id }} />
        </div>
      )}
    </div>
  )
}

/** Changes use the width that the screen has beside the column. */
const WIDE =
  '@min-[58rem]:w-[min(100cqw-7rem,72rem)] @min-[58rem]:ml-[calc((45rem-min(100cqw-7rem,72rem))/2)] print:w-auto print:ml-4'

const DEEPEST = 12

/** Every string inside a value, down to a depth: what a person who looks for words may find. */
function stringsIn(value: JsonValue | undefined, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return []
  return Object.values(value).flatMap((inner) => stringsIn(inner, depth + 1))
}

/** How a call ended, and how long it took. */
function Outcome({ call: { outcome, exitCode, durationMs } }: { call: ToolCall }) {
  const took = durationMs !== null && durationMs >= 1000 ? spanText(durationMs) : ''
  return (
    <span className="shrink-0 text-xs whitespace-nowrap">
      {outcome === 'done' && <Sign look="text-added" sign="✓" name="worked" />}
      {outcome === 'failed' && <Sign look="text-danger" sign="✗" name="failed" />}
      {outcome === 'failed' && exitCode !== null && <span className="text-danger"> exit {exitCode}</span>}
      {(outcome === 'declined' || outcome === 'interrupted') && <span className="text-warn">{outcome}</span>}
      {outcome === 'unanswered' && <span className="text-muted">no answer</span>}
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
