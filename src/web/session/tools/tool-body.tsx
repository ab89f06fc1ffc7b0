import type { ReactNode } from 'react'
import { type JsonValue, parseJson, stringAt, textAt } from '../../../core/json.ts'
import { fileOf, planOf } from '../../../core/tool-call.ts'
import { Code } from '../../code.tsx'
import { Markdown } from '../../markdown.tsx'
import { changeOf } from '../change.ts'
import { FoldedText } from '../folded-text.tsx'
import { readOutputOf } from '../numbered-lines.ts'
import { useSession } from '../session-context.tsx'
import type { ToolCall } from '../tool-call.ts'
import { visible } from '../visible.ts'
import { ChecklistView, isChecklist } from './checklist-view.tsx'
import { DiffView } from './diff-view.tsx'
import { JsonView } from './json-view.tsx'
import { ListView } from './list-view.tsx'
import { NotebookView } from './notebook-view.tsx'
import { type PicturePlace, Pictures } from './pictures.tsx'
import { QuestionView } from './question-view.tsx'
import { ReadView } from './read-view.tsx'
import { TerminalText } from './terminal-text.tsx'
import { FetchView, WebSearchView } from './web-view.tsx'

/** All that went into a call and came out of it, in the way that fits its tool. */
export function ToolBody({ call, place }: { call: ToolCall; place: PicturePlace }) {
  const view = VIEWS.get(call.name) ?? OtherView
  return (
    <div className="min-w-0 divide-y divide-line overflow-hidden rounded-md border border-line bg-surface">
      {view({ call })}
      {call.images > 0 && (
        <div className="px-3 py-2">
          <Pictures place={place} count={call.images} />
        </div>
      )}
      {call.overflow !== null && (
        <p className="px-3 py-1.5 text-sm text-muted">
          All of it is in <span className="font-mono break-all">{call.overflow}</span>
        </p>
      )}
    </div>
  )
}

type View = (props: { call: ToolCall }) => ReactNode

const VIEWS: ReadonlyMap<string, View> = new Map<string, View>([
  ['AskUserQuestion', ({ call }) => <QuestionView call={call} />],
  ['Bash', BashView],
  ['BashOutput', ({ call }) => <Output call={call} />],
  ['Edit', ChangeView],
  ['ExitPlanMode', PlanView],
  ['Glob', FoundView],
  ['Grep', FoundView],
  ['LS', FoundView],
  ['MultiEdit', ChangeView],
  ['NotebookEdit', ({ call }) => <NotebookView call={call} />],
  ['Read', FileView],
  ['TaskCreate', TasksView],
  ['TaskList', TasksView],
  ['TaskOutput', ({ call }) => <Output call={call} />],
  ['TaskUpdate', TasksView],
  ['TodoWrite', TasksView],
  ['WebFetch', ({ call }) => <FetchView call={call} />],
  ['WebSearch', ({ call }) => <WebSearchView call={call} />],
  ['Write', ChangeView],
  ['exit_plan_mode', PlanView],
])

function BashView({ call }: { call: ToolCall }) {
  const command = stringAt(call.input, 'command') ?? ''
  const said = textAt(call.input, 'description')
  return (
    <>
      <div>
        {said !== undefined && <p className="px-3 pt-2 text-sm text-muted">{said}</p>}
        <Code text={visible(command)} language="bash" label="Command" />
      </div>
      <Output call={call} />
    </>
  )
}

/** What the client writes before the output of a command that failed; the call's line says it already. */
const EXIT_CODE = /^(?:Error: )?Exit code \d+\n?/

function Output({ call }: { call: ToolCall }) {
  if (call.result === null) return <Nothing>Nothing has come back yet.</Nothing>
  const text = call.exitCode === null ? call.result : call.result.replace(EXIT_CODE, '')
  return text.trim() === '' ? <Nothing>No output.</Nothing> : <TerminalText id={call.id} text={text} />
}

function Nothing({ children }: { children: string }) {
  return <p className="px-3 py-2 text-sm text-muted">{children}</p>
}

function ChangeView({ call }: { call: ToolCall }) {
  const change = changeOf(call)
  return (
    <>
      {change && change.hunks.length > 0 && <DiffView id={call.id} change={change} path={fileOf(call.input) ?? ''} />}
      {call.isError && <Failed call={call} />}
      {call.result === null && <Nothing>Nothing has come back yet.</Nothing>}
    </>
  )
}

function Failed({ call }: { call: ToolCall }) {
  return (
    <p className="bg-danger-soft px-3 py-2 break-words whitespace-pre-wrap text-danger">{visible(call.result ?? '')}</p>
  )
}

function PlanView({ call }: { call: ToolCall }) {
  const plan = planOf(call.input, undefined)
  return (
    <>
      {plan !== null && <Markdown text={plan} className="px-4 py-3" />}
      {call.isError ? <Failed call={call} /> : plan === null && <Prose call={call} />}
    </>
  )
}

function FoundView({ call }: { call: ToolCall }) {
  const { folder } = useSession()
  if (call.isError) return <Failed call={call} />
  return call.result === null ? <Nothing>Nothing has come back yet.</Nothing> : <ListView call={call} folder={folder} />
}

function FileView({ call }: { call: ToolCall }) {
  if (call.isError) return <Failed call={call} />
  if (call.images > 0 && (call.result ?? '') === '') return null
  return readOutputOf(call.result ?? '').lines.length > 0 ? <ReadView call={call} /> : <Output call={call} />
}

function TasksView({ call }: { call: ToolCall }) {
  if (call.isError) return <Failed call={call} />
  return isChecklist(call) ? <ChecklistView call={call} /> : <OtherView call={call} />
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
  const text = call.result
  if (text === null) return <Nothing>Nothing has come back yet.</Nothing>
  if (text.trim() === '') return call.images > 0 ? null : <Nothing>No output.</Nothing>
  const value = jsonOf(text)
  if (value !== undefined) return <JsonView id={`${call.id}/out`} value={value} />
  return (
    <div className="px-3 py-2">
      <FoldedText id={call.id} text={text}>
        <Markdown text={text} />
      </FoldedText>
    </div>
  )
}

const LONGEST_JSON = 2_000_000

/** The value of a text that is an object or a list written as JSON. */
function jsonOf(text: string): JsonValue | undefined {
  const isLikely = /^\s*[[{]/.test(text) && text.length < LONGEST_JSON
  const value = isLikely ? parseJson(text) : undefined
  return typeof value === 'object' ? value : undefined
}
