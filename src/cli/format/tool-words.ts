import { arrayAt, type JsonObject, objectsAt, stringAt, textAt } from '../../core/json.ts'
import { fileOf } from '../../core/tool-call.ts'
import { plural } from '../terminal/human.ts'

/** What a call does, in a word and its object. Neither is plain yet. */
interface ToolWords {
  readonly verb: string
  readonly what: string
}

/** Says what a call does. Tools we do not know are called by their names. */
export function toolWords(name: string, input: JsonObject): ToolWords {
  const known = KNOWN.get(name)
  if (known) return { verb: known[0], what: known[1](input) }
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name)
  const first = Object.values(input).find((value) => typeof value === 'string')
  const what = firstLine(typeof first === 'string' ? first : '')
  if (mcp) return { verb: 'mcp', what: [mcp[1], mcp[2], what].join(' ').trim() }
  return { verb: name, what }
}

/** The first line of a text that says something, and how many follow it. */
export function firstLine(text: string): string {
  const lines = text.trim().split('\n')
  const first = lines[0] ?? ''
  return lines.length === 1 ? first : `${first} … ${plural(lines.length - 1, 'more line')}`
}

type Words = readonly [verb: string, what: (input: JsonObject) => string]

const file = (input: JsonObject) => fileOf(input) ?? ''
const text = (key: string) => (input: JsonObject) => textAt(input, key) ?? ''

const KNOWN: ReadonlyMap<string, Words> = new Map<string, Words>([
  ['AskUserQuestion', ['ask', questions]],
  ['Bash', ['bash', (input) => firstLine(stringAt(input, 'command') ?? '')]],
  ['BashOutput', ['bash', (input) => `output of ${textAt(input, 'bash_id') ?? 'a task'}`]],
  ['Edit', ['edit', file]],
  ['EnterPlanMode', ['plan', () => 'begin planning']],
  ['ExitPlanMode', ['plan', planTitle]],
  ['Glob', ['glob', text('pattern')]],
  ['Grep', ['grep', text('pattern')]],
  ['KillBash', ['stop', text('shell_id')]],
  ['KillShell', ['stop', text('shell_id')]],
  ['LS', ['list', file]],
  ['Monitor', ['watch', (input) => firstLine(stringAt(input, 'command') ?? '')]],
  ['MultiEdit', ['edit', file]],
  ['NotebookEdit', ['edit', file]],
  ['NotebookRead', ['read', file]],
  ['Read', ['read', file]],
  [
    'Skill',
    ['skill', (input) => `${textAt(input, 'skill') ?? textAt(input, 'command') ?? ''} ${argsOf(input)}`.trim()],
  ],
  ['SlashCommand', ['run', text('command')]],
  ['TaskCreate', ['task', (input) => `new: ${textAt(input, 'subject') ?? ''}`]],
  ['TaskGet', ['task', (input) => `look at #${textAt(input, 'taskId') ?? ''}`]],
  ['TaskList', ['task', () => 'list']],
  ['TaskOutput', ['task', (input) => `output of ${textAt(input, 'task_id') ?? 'a task'}`]],
  ['TaskStop', ['stop', (input) => textAt(input, 'task_id') ?? textAt(input, 'shell_id') ?? '']],
  ['TaskUpdate', ['task', taskUpdate]],
  ['TodoWrite', ['todo', todosDone]],
  ['ToolSearch', ['tools', text('query')]],
  ['WebFetch', ['fetch', text('url')]],
  ['WebSearch', ['web', text('query')]],
  ['Workflow', ['flow', (input) => textAt(input, 'description') ?? textAt(input, 'name') ?? '']],
  ['Write', ['write', file]],
  ['exit_plan_mode', ['plan', planTitle]],
  ['web_search', ['web', text('query')]],
])

function questions(input: JsonObject): string {
  return objectsAt(input, 'questions')
    .map((question) => textAt(question, 'question') ?? '')
    .join(' / ')
}

function planTitle(input: JsonObject): string {
  const lines = (stringAt(input, 'plan') ?? '').split('\n')
  return (lines.find((line) => line.trim() !== '') ?? '').replace(/^#+\s*/, '')
}

function taskUpdate(input: JsonObject): string {
  const id = `#${textAt(input, 'taskId') ?? ''}`
  return [id, (textAt(input, 'status') ?? 'changed').replaceAll('_', ' '), textAt(input, 'subject') ?? '']
    .join(' ')
    .trim()
}

function todosDone(input: JsonObject): string {
  const done = objectsAt(input, 'todos').filter((todo) => stringAt(todo, 'status') === 'completed').length
  return `${done} of ${arrayAt(input, 'todos').length} done`
}

function argsOf(input: JsonObject): string {
  return firstLine(stringAt(input, 'args') ?? '')
}
