import { type JsonObject, numberAt, objectsAt, stringAt, textAt } from '../json.ts'
import type { Replacement } from './file-edit.ts'
import { linksFound, questionsAsked, shellOutput, tasksMeant } from './tool-answers.ts'
import { fileOf } from './tool-call.ts'
import type { MeantCall, NotebookMeaning, ToolMeaning } from './tool-meaning.ts'

/** Says what a call did. */
export function meaningOf(call: MeantCall): ToolMeaning {
  const known = READERS.get(call.name)
  if (known) return known(call)
  const about = Object.values(call.input).find((value) => typeof value === 'string') ?? ''
  const mcp = /^mcp__(.+?)__(.+)$/.exec(call.name)
  if (mcp) return { kind: 'mcp', server: mcp[1] as string, tool: mcp[2] as string, about }
  return { kind: 'other', about, file: fileOf(call.input) }
}

type Reader = (call: MeantCall) => ToolMeaning

const text = (input: JsonObject, key: string) => stringAt(input, key) ?? ''
const file = (input: JsonObject) => fileOf(input) ?? ''

const agent: Reader = ({ input }) => ({
  kind: 'agent',
  type: textAt(input, 'subagent_type') ?? null,
  description: textAt(input, 'description') ?? null,
  prompt: textAt(input, 'prompt') ?? null,
})
const edit: Reader = ({ input }) => ({
  kind: 'edit',
  file: file(input),
  replacements: (input.edits === undefined ? [input] : objectsAt(input, 'edits')).map(replacementOf),
})
const plan: Reader = ({ input, details }) => ({
  kind: 'plan',
  plan: textAt(input, 'plan') ?? (details?.kind === 'plan' ? details.plan : null),
})
const read: Reader = ({ input }) => ({
  kind: 'read',
  file: file(input),
  fromLine: numberAt(input, 'offset') ?? null,
})
const search =
  (kind: 'grep' | 'glob'): Reader =>
  ({ input }) => ({
    kind,
    pattern: text(input, 'pattern'),
    folder: textAt(input, 'path') ?? null,
    glob: textAt(input, 'glob') ?? null,
  })
const shell =
  (key: string): Reader =>
  (call) => ({
    kind: 'shell',
    command: text(call.input, key),
    description: textAt(call.input, 'description') ?? null,
    isBackground: call.details?.kind === 'command' && call.details.backgroundTaskId !== null,
    ...shellOutput(call),
  })
const stop: Reader = ({ input }) => ({
  kind: 'shell-stop',
  task: textAt(input, 'task_id') ?? text(input, 'shell_id'),
})
const tasks =
  (kind: 'todos' | 'task-create' | 'task-update' | 'task-list'): Reader =>
  (call) => ({ kind, tasks: tasksMeant(kind, call) })
const fetch: Reader = ({ input }) => ({
  kind: 'fetch',
  url: text(input, 'url'),
  asked: textAt(input, 'prompt') ?? null,
})
const webSearch: Reader = (call) => ({ kind: 'web-search', query: text(call.input, 'query'), ...linksFound(call) })

/** How the calls of each tool are read, by every name that it had. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['Agent', agent],
  ['AskUserQuestion', (call) => ({ kind: 'question', questions: questionsAsked(call) })],
  ['Bash', shell('command')],
  ['BashOutput', ({ input }) => ({ kind: 'shell-output', task: text(input, 'bash_id') })],
  ['Edit', edit],
  ['EnterPlanMode', () => ({ kind: 'plan-start' })],
  ['ExitPlanMode', plan],
  ['Glob', search('glob')],
  ['Grep', search('grep')],
  ['KillBash', stop],
  ['KillShell', stop],
  ['LS', ({ input }) => ({ kind: 'list', folder: file(input) })],
  ['Monitor', ({ input }) => ({ kind: 'watch', command: text(input, 'command') })],
  ['MultiEdit', edit],
  ['NotebookEdit', ({ input }) => notebookOf(input)],
  ['NotebookRead', read],
  ['Read', read],
  ['Skill', ({ input }) => skillOf(input)],
  ['SlashCommand', ({ input }) => ({ kind: 'slash-command', command: text(input, 'command') })],
  ['Task', agent],
  ['TaskCreate', tasks('task-create')],
  ['TaskGet', ({ input }) => ({ kind: 'task-get', id: text(input, 'taskId') })],
  ['TaskList', tasks('task-list')],
  ['TaskOutput', ({ input }) => ({ kind: 'shell-output', task: text(input, 'task_id') })],
  ['TaskStop', stop],
  ['TaskUpdate', tasks('task-update')],
  ['TodoWrite', tasks('todos')],
  ['ToolSearch', ({ input }) => ({ kind: 'tool-search', query: text(input, 'query') })],
  ['WebFetch', fetch],
  ['WebSearch', webSearch],
  ['Workflow', ({ input }) => ({ kind: 'workflow', description: textAt(input, 'description') ?? text(input, 'name') })],
  ['Write', ({ input }) => ({ kind: 'write', file: file(input), content: text(input, 'content') })],
  ['bash_code_execution', shell('command')],
  ['code_execution', shell('code')],
  ['exit_plan_mode', plan],
  ['web_fetch', fetch],
  ['web_search', webSearch],
])

function replacementOf(piece: JsonObject): Replacement {
  return {
    oldText: text(piece, 'old_string'),
    newText: text(piece, 'new_string'),
    isAll: piece.replace_all === true,
  }
}

function notebookOf(input: JsonObject): NotebookMeaning {
  const mode = textAt(input, 'edit_mode')
  return {
    kind: 'notebook',
    file: file(input),
    mode: mode === 'insert' || mode === 'delete' ? mode : 'replace',
    cell: textAt(input, 'cell_id') ?? null,
    isMarkdown: stringAt(input, 'cell_type') === 'markdown',
    source: text(input, 'new_source'),
  }
}

function skillOf(input: JsonObject): ToolMeaning {
  return { kind: 'skill', name: textAt(input, 'skill') ?? text(input, 'command'), args: text(input, 'args') }
}
