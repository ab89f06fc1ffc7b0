import { arrayAt, isObject, type JsonObject, objectAt, objectsAt, stringAt, textAt } from '../core/json.ts'
import type { Place } from '../core/log/place.ts'
import { type Static, Type } from '../core/schema.ts'
import { ToolFold } from '../core/tools/tool-fold.ts'
import { isTodo, readTodos } from '../disk/todos.ts'
import type { Context } from './context.ts'
import { historyOf } from './history.ts'
import { foldLogs, type LogFold, ofOneOf, type Whose } from './scan.ts'
import { isEverything, type ScopeInput } from './scope.ts'
import { NullableNumber, NullableString } from './shapes.ts'

const TodoShape = Type.Object({ id: NullableString, text: Type.String(), status: NullableString })

/** A list of todos or tasks, and where it stands. */
export const TodoListShape = Type.Object({
  from: Type.String('todos or tasks (folders), row (a field of log rows) or call (tool calls)'),
  session: NullableString,
  agent: NullableString,
  timestamp: NullableString,
  todos: Type.Array(TodoShape),
  file: Type.String(),
  line: NullableNumber,
  offset: NullableNumber,
  length: NullableNumber,
})

export type TodoList = Static<typeof TodoListShape>

/** The lists of a session or an agent, or of all sessions in a scope, empty ones too; the newest first. */
export async function listTodos(
  context: Context,
  input: ScopeInput & { readonly session?: string | undefined },
): Promise<readonly TodoList[]> {
  const items: TodoList[] = []
  const seen: Whose[] = []
  await foldLogs(context, input, TODO_ROWS, todoFold, (lists, { session, agent, entry }) => {
    seen.push({ session: session.id, agent })
    for (const { from, timestamp, todos: found, place } of lists) {
      items.push({ from, session: session.id, agent, timestamp, todos: [...found], file: entry.path, ...place })
    }
  })
  await historyOf(context).fetchBeside(isTodo)
  items.push(...folderLists(context))
  const isMeant = input.session === undefined && isEverything(input) ? () => true : ofOneOf(seen)
  return items.filter(isMeant).sort((a, b) => ((a.timestamp ?? '') < (b.timestamp ?? '') ? 1 : -1))
}

const TODO_ROWS = { kinds: ['todos'], tools: ['TodoWrite', 'TaskCreate', 'TaskUpdate'] }

/** The lists that one log holds: as rows have it, as it was written, and as its tasks stand. */
const todoFold: LogFold<readonly LogTodos[]> = {
  begin() {
    const fold = new ToolFold((name) => TODO_ROWS.tools.includes(name))
    let row: LogTodos | undefined
    return {
      record(record) {
        fold.add(record)
        const todos = objectsAt(record.raw, 'todos').map(toTodo)
        const timestamp = stringAt(record.raw, 'timestamp') ?? null
        if (todos.length > 0) row = { from: 'row', timestamp, todos, place: inLog(record.place) }
      },
      end: () => [row, written(fold), tasks(fold)].flatMap((list) => list ?? []),
    }
  },
}

interface LogTodos {
  readonly from: string
  readonly timestamp: string | null
  readonly todos: readonly Static<typeof TodoShape>[]
  readonly place: Omit<Place, 'file'>
}

function inLog({ line, offset, length }: Place): LogTodos['place'] {
  return { line, offset, length }
}

/** `TodoWrite` gives the whole list each time: the last call stands that did not fail. */
function written(fold: ToolFold): LogTodos | undefined {
  const last = fold.calls().findLast((call) => call.name === 'TodoWrite' && !call.isError)
  if (!last) return undefined
  const found = arrayAt(last.input, 'todos').filter(isObject).map(toTodo)
  return { from: 'call', timestamp: last.timestamp, place: inLog(last.place), todos: found }
}

/** Tasks are made one by one and changed by id: their calls are played through. */
function tasks(fold: ToolFold): LogTodos | undefined {
  const byId = new Map<string, Static<typeof TodoShape>>()
  const calls = fold.calls().filter((call) => call.name !== 'TodoWrite' && !call.isError)
  for (const { name, id, input, answer } of calls) {
    const made = objectAt(answer && objectAt(answer, 'toolUseResult'), 'task')
    const taskId = textAt(made, 'id') ?? textAt(input, 'taskId') ?? id
    const before = byId.get(taskId)
    const text = textAt(input, 'subject') ?? textAt(made, 'subject') ?? before?.text ?? ''
    const status = textAt(input, 'status') ?? before?.status ?? (name === 'TaskCreate' ? 'pending' : null)
    byId.set(taskId, { id: taskId, text, status })
  }
  const last = calls.at(-1)
  return last && { from: 'call', timestamp: last.timestamp, place: inLog(last.place), todos: [...byId.values()] }
}

function toTodo(todo: JsonObject): Static<typeof TodoShape> {
  const text = textAt(todo, 'content') ?? textAt(todo, 'subject') ?? ''
  return { id: textAt(todo, 'id') ?? null, text, status: textAt(todo, 'status') ?? null }
}

function folderLists({ library, warn }: Context): TodoList[] {
  if (library.isRootless) return []
  const { items, warnings } = readTodos(library.beside)
  for (const warning of warnings) warn(warning)
  return items.map((list) => ({
    from: list.source,
    session: list.session,
    agent: list.agent,
    timestamp: list.modifiedAt,
    todos: list.items.map(({ id, text, status }) => ({ id, text: text ?? '', status })),
    file: list.file,
    line: null,
    offset: null,
    length: null,
  }))
}
