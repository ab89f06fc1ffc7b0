import { type JsonObject, stringAt, textAt } from '../../core/json.ts'
import { fileOf } from '../../core/tool-call.ts'
import { planTitleOf, questionsOf, taskUpdateOf, todosDoneOf } from '../../core/tool-words.ts'
import type { ToolCall } from './tool-call.ts'

/** A tool call in a few words: what the tool is called, and what it was about. */
interface ToolWords {
  readonly label: string
  readonly what: string
  /** What it was about is a path or a command: set in a fixed width. */
  readonly isCode: boolean
}

/** Says what a call does. Tools we do not know are called by their names. */
export function toolWords({ name, input }: ToolCall, folder: string | null): ToolWords {
  const known = KNOWN.get(name)
  if (known) return { label: known.label ?? name, what: known.what(input, folder), isCode: known.isCode ?? false }
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name)
  const first = Object.values(input).find((value) => typeof value === 'string')
  const what = firstLine(typeof first === 'string' ? first : '')
  return { label: mcp ? `${mcp[1]} › ${mcp[2]}` : name, what, isCode: false }
}

/** The first line of a text that says something. */
export function firstLine(text: string): string {
  const [first = '', ...more] = text.trim().split('\n')
  return more.length === 0 ? first : `${first} …`
}

/** A path as seen from the folder of the session. */
export function pathFrom(folder: string | null, path: string): string {
  const base = folder?.replace(/\/$/, '')
  return base && path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path
}

interface Known {
  readonly label?: string
  readonly what: (input: JsonObject, folder: string | null) => string
  readonly isCode?: boolean
}

const file = (input: JsonObject, folder: string | null) => pathFrom(folder, fileOf(input) ?? '')
const text = (key: string) => (input: JsonObject) => firstLine(stringAt(input, key) ?? '')

const KNOWN: ReadonlyMap<string, Known> = new Map<string, Known>([
  ['AskUserQuestion', { label: 'Question', what: questionsOf }],
  ['Bash', { what: text('command'), isCode: true }],
  ['BashOutput', { label: 'Output of', what: text('bash_id'), isCode: true }],
  ['Edit', { what: file, isCode: true }],
  ['EnterPlanMode', { label: 'Plan', what: () => 'begin planning' }],
  ['ExitPlanMode', { label: 'Plan', what: planTitleOf }],
  ['exit_plan_mode', { label: 'Plan', what: planTitleOf }],
  ['Glob', { what: text('pattern'), isCode: true }],
  ['Grep', { what: grepWords, isCode: true }],
  ['KillBash', { label: 'Stop', what: text('shell_id'), isCode: true }],
  ['KillShell', { label: 'Stop', what: text('shell_id'), isCode: true }],
  ['LS', { label: 'List', what: file, isCode: true }],
  ['MultiEdit', { label: 'Edit', what: file, isCode: true }],
  ['NotebookEdit', { label: 'Notebook', what: file, isCode: true }],
  ['NotebookRead', { label: 'Read', what: file, isCode: true }],
  ['Read', { what: readWords, isCode: true }],
  [
    'Skill',
    { what: (input) => `${textAt(input, 'skill') ?? textAt(input, 'command') ?? ''} ${text('args')(input)}`.trim() },
  ],
  ['SlashCommand', { label: 'Command', what: text('command') }],
  ['TaskCreate', { label: 'New task', what: text('subject') }],
  ['TaskGet', { label: 'Task', what: (input) => `#${textAt(input, 'taskId') ?? ''}` }],
  ['TaskList', { label: 'Tasks', what: () => 'list' }],
  ['TaskOutput', { label: 'Output of', what: text('task_id'), isCode: true }],
  ['TaskStop', { label: 'Stop', what: (input) => textAt(input, 'task_id') ?? textAt(input, 'shell_id') ?? '' }],
  ['TaskUpdate', { label: 'Task', what: taskUpdateOf }],
  ['TodoWrite', { label: 'To do', what: todosDoneOf }],
  ['ToolSearch', { label: 'Find tools', what: text('query') }],
  ['WebFetch', { label: 'Fetch', what: text('url') }],
  ['WebSearch', { label: 'Web search', what: text('query') }],
  ['web_search', { label: 'Web search', what: text('query') }],
  ['Workflow', { what: (input) => textAt(input, 'description') ?? textAt(input, 'name') ?? '' }],
  ['Write', { what: file, isCode: true }],
])

function grepWords(input: JsonObject, folder: string | null): string {
  const where = textAt(input, 'path')
  const inside = [where && pathFrom(folder, where), textAt(input, 'glob')].filter(Boolean).join(' ')
  return `${textAt(input, 'pattern') ?? ''}${inside === '' ? '' : `  in ${inside}`}`
}

function readWords(input: JsonObject, folder: string | null): string {
  const from = input.offset
  return `${file(input, folder)}${typeof from === 'number' ? ` from line ${from}` : ''}`
}
