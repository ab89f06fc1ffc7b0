import { type JsonObject, stringAt, textAt } from '../../core/json.ts'
import { fileOf } from '../../core/tool-call.ts'
import { planTitleOf, questionsOf, taskUpdateOf, todosDoneOf } from '../../core/tool-words.ts'
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
  ['AskUserQuestion', ['ask', questionsOf]],
  ['Bash', ['bash', (input) => firstLine(stringAt(input, 'command') ?? '')]],
  ['BashOutput', ['bash', (input) => `output of ${textAt(input, 'bash_id') ?? 'a task'}`]],
  ['Edit', ['edit', file]],
  ['EnterPlanMode', ['plan', () => 'begin planning']],
  ['ExitPlanMode', ['plan', planTitleOf]],
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
  ['TaskUpdate', ['task', taskUpdateOf]],
  ['TodoWrite', ['todo', todosDoneOf]],
  ['ToolSearch', ['tools', text('query')]],
  ['WebFetch', ['fetch', text('url')]],
  ['WebSearch', ['web', text('query')]],
  ['Workflow', ['flow', (input) => textAt(input, 'description') ?? textAt(input, 'name') ?? '']],
  ['Write', ['write', file]],
  ['exit_plan_mode', ['plan', planTitleOf]],
  ['web_search', ['web', text('query')]],
])

function argsOf(input: JsonObject): string {
  return firstLine(stringAt(input, 'args') ?? '')
}
