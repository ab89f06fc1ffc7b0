import { type JsonValue, parseJson } from '../../../core/json.ts'
import { resultText } from '../../../core/tools/tool-call.ts'
import type { ShellMeaning, ToolMeaning } from '../../../core/tools/tool-meaning.ts'
import { Code } from '../../code.tsx'
import { Markdown } from '../../markdown.tsx'
import { changeOf } from '../change.ts'
import { FoldedText } from '../folded-text.tsx'
import { LONGEST_LINE } from '../long-lines.tsx'
import { readOutputOf } from '../numbered-lines.ts'
import { useSession } from '../session-context.tsx'
import type { ToolCall } from '../types.ts'
import { readable, visible } from '../visible.ts'
import { ChecklistView } from './checklist-view.tsx'
import { Copyable } from './copyable.tsx'
import { DiffView } from './diff-view.tsx'
import { JsonView } from './json-view.tsx'
import { ListView } from './list-view.tsx'
import { NotebookView } from './notebook-view.tsx'
import { type PicturePlace, Pictures } from './pictures.tsx'
import { QuestionView } from './question-view.tsx'
import { ReadView } from './read-view.tsx'
import { TerminalText } from './terminal-text.tsx'
import { FetchView, WebSearchView } from './web-view.tsx'

/** All that went into a call and came out of it, in the way that fits what it did. */
export function ToolBody({ call, meaning, place }: { call: ToolCall; meaning: ToolMeaning; place: PicturePlace }) {
  return (
    <div className="min-w-0 divide-y divide-line overflow-hidden rounded-md border border-line bg-surface">
      <Body call={call} meaning={meaning} />
      {call.images > 0 && (
        <div className="px-3 py-2">
          <Pictures place={place} count={call.images} />
        </div>
      )}
      {call.overflow !== null && (
        <p className="px-3 py-1.5 text-sm text-muted">
          All of it is in <span className="font-mono break-all">{visible(call.overflow)}</span>
        </p>
      )}
    </div>
  )
}

function Body({ call, meaning }: { call: ToolCall; meaning: ToolMeaning }) {
  switch (meaning.kind) {
    case 'question':
      return <QuestionView call={call} questions={meaning.questions} />
    case 'shell':
      return <ShellView call={call} meaning={meaning} />
    case 'shell-output':
      return <Output call={call} />
    case 'edit':
    case 'write':
      return <ChangeView call={call} meaning={meaning} />
    case 'plan':
      return <PlanView call={call} plan={meaning.plan} />
    case 'glob':
    case 'grep':
    case 'list':
      return <FoundView call={call} />
    case 'notebook':
      return <NotebookView call={call} meaning={meaning} />
    case 'read':
      return <FileView call={call} file={meaning.file} />
    case 'todos':
    case 'task-create':
    case 'task-update':
    case 'task-list':
      if (call.isError) return <Failed call={call} />
      return meaning.tasks.length > 0 ? <ChecklistView tasks={meaning.tasks} /> : <OtherView call={call} />
    case 'fetch':
      return <FetchView call={call} meaning={meaning} />
    case 'web-search':
      return <WebSearchView call={call} meaning={meaning} />
    default:
      return <OtherView call={call} />
  }
}

function ShellView({ call, meaning }: { call: ToolCall; meaning: ShellMeaning }) {
  const { command, description, stdout, stderr } = meaning
  return (
    <>
      <div>
        {description !== null && <p className="px-3 pt-2 text-sm text-muted">{readable(description, LONGEST_LINE)}</p>}
        <Copyable text={command} label="Copy the command">
          <Code text={readable(command, LONGEST_LINE)} language="bash" label="Command" />
        </Copyable>
      </div>
      {(stdout.trim() !== '' || stderr === '') && <Output call={call} text={stdout} />}
      {stderr !== '' && (
        <div className="border-l-2 border-l-warn">
          <p className="px-3 pt-1 text-xs text-muted">stderr</p>
          <TerminalText id={`${call.id}/stderr`} text={stderr} />
        </div>
      )}
    </>
  )
}

function Output({ call, text = resultText(call) }: { call: ToolCall; text?: string }) {
  if (call.result === null) return <Nothing>Nothing has come back yet.</Nothing>
  if (text.trim() === '') return <Nothing>No output.</Nothing>
  return (
    <Copyable text={text} label="Copy the output">
      <TerminalText id={call.id} text={text} />
    </Copyable>
  )
}

function Nothing({ children }: { children: string }) {
  return <p className="px-3 py-2 text-sm text-muted">{children}</p>
}

function ChangeView({ call, meaning }: { call: ToolCall; meaning: ToolMeaning & { kind: 'edit' | 'write' } }) {
  const change = changeOf(meaning, call.patch)
  return (
    <>
      {change && change.hunks.length > 0 && <DiffView id={call.id} change={change} path={meaning.file} />}
      {call.isError && <Failed call={call} />}
      {call.result === null && <Nothing>Nothing has come back yet.</Nothing>}
    </>
  )
}

function Failed({ call }: { call: ToolCall }) {
  return (
    <p className="bg-danger-soft px-3 py-2 break-words whitespace-pre-wrap text-danger">{readable(resultText(call))}</p>
  )
}

/** What became of a plan. */
function approvalOf({ outcome }: ToolCall): { readonly sign: string; readonly look: string; readonly text: string } {
  if (outcome === 'done') return { sign: '✓', look: 'text-added', text: 'Approved' }
  if (outcome === 'unanswered') return { sign: '…', look: 'text-muted', text: 'Waits for approval' }
  return { sign: '✗', look: 'text-warn', text: outcome === 'failed' ? 'Not approved' : `Not approved: ${outcome}` }
}

function PlanView({ call, plan }: { call: ToolCall; plan: string | null }) {
  const { sign, look, text } = approvalOf(call)
  return (
    <>
      <p className={`px-4 pt-2 text-sm font-medium ${look}`}>
        <span aria-hidden="true">{sign}</span> {text}
      </p>
      {plan !== null && <Markdown text={plan} className="px-4 py-3" />}
      {call.isError ? <Failed call={call} /> : plan === null && <Prose call={call} />}
    </>
  )
}

function FoundView({ call }: { call: ToolCall }) {
  const { folder } = useSession()
  if (call.isError) return <Failed call={call} />
  if (call.result === null) return <Nothing>Nothing has come back yet.</Nothing>
  return (
    <Copyable text={call.result} label="Copy the output">
      <ListView call={call} folder={folder} />
    </Copyable>
  )
}

function FileView({ call, file }: { call: ToolCall; file: string }) {
  if (call.isError) return <Failed call={call} />
  if (call.images > 0 && (call.result ?? '') === '') return null
  const isNumbered = readOutputOf(call.result ?? '').lines.length > 0
  return isNumbered ? <ReadView call={call} file={file} /> : <Output call={call} />
}

/** A tool of which nothing is known: what it was given as JSON, what it gave as JSON or prose. */
function OtherView({ call }: { call: ToolCall }) {
  return (
    <>
      {Object.keys(call.input).length > 0 && <JsonView id={`${call.id}/in`} value={call.input} />}
      {call.isError ? <Failed call={call} /> : <Prose call={call} />}
    </>
  )
}

function Prose({ call }: { call: ToolCall }) {
  if (call.result === null) return <Nothing>Nothing has come back yet.</Nothing>
  const text = resultText(call)
  if (text.trim() === '') return call.images > 0 ? null : <Nothing>No output.</Nothing>
  const value = jsonOf(text)
  if (value !== undefined) {
    return (
      <Copyable text={text} label="Copy the output">
        <JsonView id={`${call.id}/out`} value={value} />
      </Copyable>
    )
  }
  return (
    <Copyable text={text} label="Copy the output">
      <div className="px-3 py-2">
        <FoldedText id={call.id} text={text}>
          {(shown) => <Markdown text={shown} />}
        </FoldedText>
      </div>
    </Copyable>
  )
}

const LONGEST_JSON = 2_000_000

/** The value of a text that is an object or a list written as JSON. */
function jsonOf(text: string): JsonValue | undefined {
  const isLikely = /^\s*[[{]/.test(text) && text.length < LONGEST_JSON
  const value = isLikely ? parseJson(text) : undefined
  return typeof value === 'object' ? value : undefined
}
