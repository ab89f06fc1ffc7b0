import { type JsonObject, objectsAt, stringAt, textAt } from '../../../core/json.ts'
import type { ToolCall } from '../tool-call.ts'

interface Task {
  readonly text: string
  readonly status: string
  readonly more: string | undefined
}

/** What there is to do, and what is done. */
export function ChecklistView({ call }: { call: ToolCall }) {
  const tasks = tasksOf(call)
  return (
    <ul className="space-y-1 px-3 py-2">
      {tasks.map((task, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tasks of one call never move
        <li key={at} className="flex gap-2">
          <span role="img" aria-label={task.status.replaceAll('_', ' ')} className={markOf(task.status).look}>
            {markOf(task.status).sign}
          </span>
          <span className={task.status === 'completed' ? 'text-muted line-through' : ''}>
            {task.text}
            {task.more !== undefined && (
              <span className="block whitespace-pre-wrap text-sm text-muted">{task.more}</span>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Whether a call has a list of things to do that can be shown. */
export function isChecklist(call: ToolCall): boolean {
  return tasksOf(call).length > 0
}

function tasksOf({ name, input, result }: ToolCall): readonly Task[] {
  if (name === 'TodoWrite') return objectsAt(input, 'todos').map(todoOf)
  if (name === 'TaskCreate') {
    return [{ text: textAt(input, 'subject') ?? '', status: 'pending', more: textAt(input, 'description') }]
  }
  if (name === 'TaskUpdate') {
    const id = textAt(input, 'taskId') ?? ''
    const text = `#${id} ${textAt(input, 'subject') ?? (textAt(input, 'status') ?? 'changed').replaceAll('_', ' ')}`
    return [{ text, status: textAt(input, 'status') ?? 'pending', more: textAt(input, 'description') }]
  }
  return name === 'TaskList' ? listedTasks(result ?? '') : []
}

function todoOf(todo: JsonObject): Task {
  return { text: stringAt(todo, 'content') ?? '', status: stringAt(todo, 'status') ?? 'pending', more: undefined }
}

/** `#1 [completed] Subject` */
function listedTasks(result: string): readonly Task[] {
  return result.split('\n').flatMap((line) => {
    const match = /^#(\S{1,40}) \[([a-z_]{1,20})\] (.*)$/.exec(line.trim())
    return match ? [{ text: `#${match[1]} ${match[3]}`, status: match[2] as string, more: undefined }] : []
  })
}

function markOf(status: string): { readonly sign: string; readonly look: string } {
  if (status === 'completed') return { sign: '☑', look: 'text-added' }
  if (status === 'in_progress') return { sign: '◐', look: 'text-accent' }
  if (status === 'deleted') return { sign: '☒', look: 'text-muted' }
  return { sign: '☐', look: 'text-muted' }
}
