import type { MeantTask, ToolMeaning } from './tool-meaning.ts'

/** A tool call in a few words. Nothing is cut or escaped yet. */
export interface ToolWords {
  /** A short word for what was done: `edit`. */
  readonly verb: string
  /** What the tool is called: `Edit`. */
  readonly label: string
  /** What it was about; a command may have several lines. */
  readonly what: string
  /** What it was about is a path, a command or a pattern. */
  readonly isCode: boolean
}

/** Says what a call did. How paths are told depends on who reads: `pathText` shortens them; `.` is the folder of the session. */
export function toolWords(name: string, meaning: ToolMeaning, pathText: (path: string) => string): ToolWords {
  const code = (verb: string, label: string, what: string) => ({ verb, label, what, isCode: true })
  const prose = (verb: string, label: string, what: string) => ({ verb, label, what, isCode: false })
  switch (meaning.kind) {
    case 'shell':
      return code('bash', 'Bash', meaning.command)
    case 'shell-output':
      return code('output', 'Output of', meaning.task)
    case 'shell-stop':
      return code('stop', 'Stop', meaning.task)
    case 'watch':
      return code('watch', 'Watch', meaning.command)
    case 'read': {
      const from = meaning.fromLine === null ? '' : ` from line ${meaning.fromLine}`
      return code('read', 'Read', `${pathText(meaning.file)}${from}`)
    }
    case 'list':
      return code('list', 'List', pathText(meaning.folder))
    case 'grep':
      return code('grep', 'Grep', searchText(meaning, pathText))
    case 'glob':
      return code('glob', 'Glob', searchText(meaning, pathText))
    case 'edit':
      return code('edit', 'Edit', pathText(meaning.file))
    case 'write':
      return code('write', 'Write', pathText(meaning.file))
    case 'notebook':
      return code('edit', 'Notebook', pathText(meaning.file))
    case 'todos':
      return prose('todo', 'To do', todosText(meaning.tasks))
    case 'task-create':
      return prose('new task', 'New task', meaning.tasks[0]?.subject ?? '')
    case 'task-update':
      return prose('task', 'Task', meaning.tasks.map(taskText).join(' '))
    case 'task-get':
      return prose('task', 'Task', `#${meaning.id}`)
    case 'task-list':
      return prose('tasks', 'Tasks', 'list')
    case 'plan':
      return prose('plan', 'Plan', planTitle(meaning.plan))
    case 'plan-start':
      return prose('plan', 'Plan', 'begin planning')
    case 'question':
      return prose('ask', 'Question', meaning.questions.map(({ question }) => question).join(' / '))
    case 'agent':
      return prose('agent', meaning.type ?? 'Agent', meaning.description ?? '')
    case 'workflow':
      return prose('flow', 'Workflow', meaning.description)
    case 'skill':
      return prose('skill', 'Skill', `${meaning.name} ${meaning.args}`.trim())
    case 'slash-command':
      return prose('run', 'Command', meaning.command)
    case 'fetch':
      return prose('fetch', 'Fetch', meaning.url)
    case 'web-search':
      return prose('web', 'Web search', meaning.query)
    case 'tool-search':
      return prose('tools', 'Find tools', meaning.query)
    case 'mcp':
      return prose('mcp', `${meaning.server} › ${meaning.tool}`, meaning.about)
    case 'other':
      return prose(
        name,
        name,
        meaning.file === null || meaning.about !== meaning.file ? meaning.about : pathText(meaning.file),
      )
  }
}

function searchText(
  { pattern, folder, glob }: Extract<ToolMeaning, { kind: 'grep' | 'glob' }>,
  pathText: (path: string) => string,
): string {
  const where = folder === null ? '' : pathText(folder)
  // Everything is looked for in the folder of the session, unless another one is named.
  const inside = [where === '.' ? '' : where, glob ?? ''].filter((part) => part !== '').join(' ')
  return inside === '' ? pattern : `${pattern} in ${inside}`
}

/** The first line of a plan that says something, without the marks of a heading. */
export function planTitle(plan: string | null): string {
  const line = plan?.split('\n').find((one) => one.trim() !== '') ?? ''
  return line.replace(/^#+\s*/, '').trim()
}

/** A task and what became of it: `#3 in progress Write the test`. */
export function taskText({ id, status, subject }: MeantTask): string {
  return `#${id ?? ''} ${status.replaceAll('_', ' ')} ${subject}`.trim()
}

/** How far a list of things to do has come: `1 of 2 done`. */
function todosText(tasks: readonly MeantTask[]): string {
  return `${tasks.filter(({ status }) => status === 'completed').length} of ${tasks.length} done`
}
