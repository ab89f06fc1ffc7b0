import type { Static } from '../../core/schema.ts'
import type { todos } from '../../ops/todos.ts'
import { count, plural } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, nothing, spaced } from './parts/lines.ts'
import { shortId, when } from './parts/names.ts'

type TodoList = Static<typeof todos.result>['items'][number]

/** Todo lists, each with where it comes from and what is left to do. */
export function formatTodos(result: Static<typeof todos.result>, view: View): readonly string[] {
  const { items } = result
  if (items.length === 0) return nothing('No todo lists here.', view, view.input.all ? undefined : 'Empty ones: --all')
  const all = items.flatMap((list) => list.todos)
  const done = all.filter((todo) => todo.status === 'completed').length
  const sum = dotted([plural(result.total, 'list'), `${count(done)} of ${count(all.length)} done`])
  return spaced([...items.map((list) => listLines(list, view)), footer([view.style.dim(truncate(sum, view.width))])])
}

const ORIGINS: ReadonlyMap<string, string> = new Map([
  ['todos', 'in todos/'],
  ['tasks', 'in tasks/'],
  ['row', 'noted in the log'],
  ['call', 'as the model wrote it'],
])

function listLines(list: TodoList, view: View): string[] {
  const { style, width } = view
  const who = list.session === null ? '' : shortId(list.session)
  const agent = list.agent === null || list.agent === list.session ? '' : `agent-${shortId(list.agent)}`
  const head = dotted([who, agent, when(list.timestamp, view), ORIGINS.get(list.from) ?? oneLine(list.from)])
  const lines = list.todos.map(({ text, status }) => {
    const words = oneLine(text) || '(empty)'
    if (status === 'completed') return style.dim(`  ☑ ${words}`)
    return status === 'in_progress' ? `  ${style.accent('▶')} ${words}` : `  ☐ ${words}`
  })
  return [style.strong(head), ...lines].map((line) => truncate(line, width))
}
