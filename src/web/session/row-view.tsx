import { memo } from 'react'
import { Money } from '../ui/figures.tsx'
import { Time } from '../ui/time.tsx'
import { FoldedText } from './folded-text.tsx'
import { ItemView } from './item-view.tsx'
import { turnReceipt } from './point-link.ts'
import { RowMenu } from './row-menu.tsx'
import { useSession } from './session-context.tsx'
import { Pictures } from './tools/pictures.tsx'
import { TerminalText } from './tools/terminal-text.tsx'
import type { Row, RowPrompt } from './types.ts'
import { readable } from './visible.ts'

interface Props {
  readonly row: Row
  /** What its turn cost, where the row begins one. */
  readonly costUsd?: number | null
  /** It is the row that a link led to. */
  readonly isMarked?: boolean
}

/** One row of a conversation. */
export const RowView = memo(function RowView({ row, costUsd = null, isMarked = false }: Props) {
  return (
    <article
      tabIndex={-1}
      aria-label={labelOf(row)}
      data-uuid={row.uuid}
      className={`group relative min-w-0 rounded-md outline-offset-4 ${isMarked ? 'ring-2 ring-accent ring-offset-4 ring-offset-paper' : ''}`}
    >
      {row.prompt !== null && <PromptView row={row} prompt={row.prompt} costUsd={costUsd} />}
      {row.items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a row never move
        <ItemView key={at} item={item} id={`${row.uuid}/${at}`} />
      ))}
      <RowMenu row={row} />
    </article>
  )
})

/** What a row is, for those who hear it. */
function labelOf({ prompt, items, turn }: Row): string {
  if (prompt !== null) return `${PROMPTS.get(prompt.kind) ?? 'Prompt'} ${turn}`
  const [item] = items
  if (item?.kind === 'tool') return `Tool call: ${item.name.slice(0, 200)}`
  return LABELS.get(item?.kind ?? '') ?? 'Row'
}

const PROMPTS: ReadonlyMap<string, string> = new Map([
  ['prompt', 'Prompt'],
  ['queued', 'Queued prompt'],
  ['command', 'Command'],
  ['bash', 'Shell command'],
])

/** What is said of a prompt beside its number. */
const SAID: ReadonlyMap<string, string> = new Map([['queued', 'Queued: typed while Claude was working']])

const LABELS: ReadonlyMap<string, string> = new Map([
  ['text', 'Answer'],
  ['thinking', 'Thinking'],
  ['command', 'Command'],
  ['bash', 'Shell command'],
  ['notification', 'Notification'],
  ['compaction', 'Compaction'],
  ['interrupt', 'Interrupt'],
  ['error', 'Error'],
  ['automated', 'Automated prompt'],
  ['attachment', 'Attachment'],
  ['system', 'System message'],
])

function PromptView({ row, prompt, costUsd }: { row: Row; prompt: RowPrompt; costUsd: number | null }) {
  const isCode = prompt.kind === 'bash' || prompt.kind === 'command'
  const output = prompt.output ?? ''
  const { session, branch } = useSession()
  // A branch that was abandoned counts its turns for itself: the receipt is that of the whole.
  const own = branch === undefined ? turnReceipt(session, row.turn) : undefined
  return (
    <div className="mt-3 overflow-hidden rounded-md border-l-4 border-prompt-edge bg-prompt">
      <div className="flex items-baseline gap-2 px-3 pt-1.5 text-xs text-muted">
        <span className="font-medium text-prompt-edge">{row.turn}</span>
        {prompt.kind !== 'prompt' && <span>{SAID.get(prompt.kind) ?? PROMPTS.get(prompt.kind) ?? prompt.kind}</span>}
        <Time iso={row.timestamp} as="moment" className="ml-auto" />
        {costUsd !== null && <Money usd={costUsd} receipt={own ?? session} isPart={own === undefined} />}
      </div>
      <div
        dir="auto"
        className={`px-3 pt-0.5 pb-2.5 break-words whitespace-pre-wrap ${isCode ? 'font-mono text-[0.8125rem]' : 'font-medium'}`}
      >
        <FoldedText id={`${row.uuid}/prompt`} text={prompt.text}>
          {(shown) => (
            <>
              {prompt.kind === 'bash' && <span className="text-prompt-edge">! </span>}
              {readable(shown)}
            </>
          )}
        </FoldedText>
        {prompt.images > 0 && (
          <Pictures
            place={{ file: row.file, offset: row.offset, length: row.length, answers: null }}
            count={prompt.images}
          />
        )}
      </div>
      {output.trim() !== '' && (
        <div className="border-t border-line bg-surface">
          <TerminalText id={`${row.uuid}/output`} text={output} />
        </div>
      )}
    </div>
  )
}
