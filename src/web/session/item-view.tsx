import type { ReactNode } from 'react'
import { notificationText, typedText } from '../../core/tree/item-text.ts'
import { teammateMessages } from '../../core/tree/teammate-message.ts'
import { Markdown } from '../markdown.tsx'
import { tokensText } from '../ui/words.ts'
import { AgentCard } from './agent-card.tsx'
import { pathFrom } from './call-words.ts'
import { FoldedText } from './folded-text.tsx'
import { useIsSought, useOpen } from './open-state.tsx'
import { useSession } from './session-context.tsx'
import { ToolItem } from './tool-item.tsx'
import { TerminalText } from './tools/terminal-text.tsx'
import type { RowItem } from './types.ts'
import { readable, visible } from './visible.ts'

/** One thing in a row, each kind in its own way. */
export function ItemView({ item, id }: { item: RowItem; id: string }) {
  switch (item.kind) {
    case 'text':
      return item.text.trim() === '' ? null : <Markdown text={item.text} className="py-1.5" />
    case 'thinking':
      return <Thinking id={id} text={item.text} />
    case 'tool':
      return <ToolItem call={item} />
    case 'command':
    case 'bash':
      return <Typed id={id} item={item} />
    case 'notification':
      return <Notification item={item} id={id} />
    case 'compaction':
      return <Seam item={item} id={id} />
    case 'interrupt':
      return (
        <div className="flex items-center gap-3 py-1 text-sm text-warn after:h-px after:flex-1 after:bg-line">
          <span aria-hidden="true" className="w-4 text-center">
            ■
          </span>
          {item.duringTool ? 'Interrupted by you during a tool call' : 'Interrupted by you'}
        </div>
      )
    case 'error':
      return (
        <div className="rounded-md border border-danger bg-danger-soft px-3 py-2 break-words whitespace-pre-wrap text-danger">
          {readable(item.text) || 'An error without a message'}
        </div>
      )
    case 'automated':
      return <Automated id={id} text={item.text} />
    case 'attachment':
      return <Attachment item={item} id={id} />
    case 'system':
      return item.text.trim() === '' ? null : (
        <Note sign="·">
          <Folded id={id} text={item.text} />
        </Note>
      )
  }
}

/** An item of one kind. */
type ItemOf<Kind extends RowItem['kind']> = Extract<RowItem, { kind: Kind }>

function Note({ sign, tone = 'text-muted', children }: { sign: string; tone?: string; children: ReactNode }) {
  return (
    <div className={`flex gap-2 text-sm ${tone}`}>
      <span aria-hidden="true" className="w-4 shrink-0 text-center">
        {sign}
      </span>
      <div className="min-w-0 break-words whitespace-pre-wrap">{children}</div>
    </div>
  )
}

/** A prompt that no person wrote: word from teammates as messages, all else as it is. */
function Automated({ id, text }: { id: string; text: string }) {
  const messages = teammateMessages(text)
  if (messages.length === 0) {
    return (
      <Note sign="»">
        <Folded id={id} text={text} />
      </Note>
    )
  }
  return messages.map(({ from, text: said }, at) => (
    <div
      // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a row never move
      key={at}
      className="my-1 rounded-md border-l-4 border-code-keyword bg-sunk px-3 py-1.5"
    >
      <p className="text-xs text-muted">
        Message from <span className="font-medium text-code-keyword">{visible(from)}</span>
      </p>
      <div dir="auto" className="break-words whitespace-pre-wrap">
        <Folded id={`${id}/${at}`} text={said} />
      </div>
    </div>
  ))
}

function Folded({ id, text }: { id: string; text: string }) {
  return (
    <FoldedText id={id} text={text}>
      {readable}
    </FoldedText>
  )
}

function Thinking({ id, text }: { id: string; text: string }) {
  const { isThinkingOpen } = useSession()
  const isSought = useIsSought([text])
  const [isOpen, setOpen] = useOpen(`thinking:${id}`, isThinkingOpen || isSought)
  if (text.trim() === '') return <Note sign="✻">Thinking (text not recorded)</Note>
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        data-fold
        onClick={() => setOpen(!isOpen)}
        className="flex w-full min-w-0 items-baseline gap-2 rounded text-left text-sm text-muted hover:text-ink"
      >
        <span aria-hidden="true" className="w-4 shrink-0 text-center">
          ✻
        </span>
        <span className="shrink-0">Thinking</span>
        {!isOpen && (
          <span className="min-w-0 truncate italic">{visible(text.trim().replace(/\s+/g, ' ').slice(0, 300))}</span>
        )}
      </button>
      {isOpen && <Markdown text={text} className="mt-1 ml-2 border-l-2 border-line pl-4 text-muted" />}
    </div>
  )
}

/** A slash command or a shell command that a person typed, and what it printed. */
function Typed({ id, item }: { id: string; item: ItemOf<'command' | 'bash'> }) {
  const output = item.output ?? ''
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <p className="bg-prompt px-3 py-1 font-mono text-[0.8125rem] break-words whitespace-pre-wrap">
        <span className="sr-only">{item.kind === 'bash' ? 'Shell command: ' : 'Slash command: '}</span>
        {item.kind === 'bash' && '! '}
        {readable(typedText(item))}
      </p>
      {output.trim() !== '' && <TerminalText id={id} text={output} />}
    </div>
  )
}

/** Word from something that ran in the background; an agent's can be opened. */
function Notification({ item, id }: { item: ItemOf<'notification'>; id: string }) {
  const { agents } = useSession()
  const { status, toolUseId } = item
  const agent = toolUseId === null ? undefined : [...agents.values()].find((one) => one.call?.toolUseId === toolUseId)
  return (
    <div className="space-y-1">
      <Note sign="◇" tone={status === 'failed' || status === 'killed' ? 'text-danger' : 'text-muted'}>
        <Folded id={id} text={notificationText(item)} />
      </Note>
      {agent && <AgentCard id={`${id}/agent`} agent={agent} line={undefined} call={undefined} />}
    </div>
  )
}

/** Where the context was cut: a line across, with what went in and what was left. */
function Seam({ item, id }: { item: ItemOf<'compaction'>; id: string }) {
  const { trigger } = item
  const sizes = [item.preTokens, item.postTokens].flatMap((n) => (n === null ? [] : [tokensText(n)]))
  const summary = item.summary ?? ''
  const isSought = useIsSought([summary])
  const [isOpen, setOpen] = useOpen(`seam:${id}`, isSought)
  return (
    <div className="py-2">
      <div className="flex items-center gap-3 text-sm text-warn before:h-px before:flex-1 before:bg-warn after:h-px after:flex-1 after:bg-warn">
        <span className="text-center">
          Compacted{trigger !== null && ` (${trigger})`}
          {sizes.length > 0 && ` · ${sizes.join(' → ')} tokens`}
          {summary !== '' && (
            <>
              {' · '}
              <button
                type="button"
                data-fold
                aria-expanded={isOpen}
                onClick={() => setOpen(!isOpen)}
                className="underline"
              >
                {isOpen ? 'hide the summary' : 'summary'}
              </button>
            </>
          )}
        </span>
      </div>
      {isOpen && <Markdown text={summary} className="mt-2 rounded-md bg-warn-soft px-4 py-3" />}
    </div>
  )
}

function Attachment({ item, id }: { item: ItemOf<'attachment'>; id: string }) {
  const { folder } = useSession()
  if (item.isHook) {
    return (
      <Note sign="⚓" tone={item.isError ? 'text-warn' : 'text-muted'}>
        <span className="sr-only">Hook: </span>
        <Folded id={id} text={item.text} />
      </Note>
    )
  }
  return (
    <Note sign="@">
      <span className="font-mono text-[0.8125rem]">{visible(pathFrom(folder, item.text))}</span>
    </Note>
  )
}
