import { basename, dirname } from 'node:path'
import { grouped } from '../core/grouped.ts'
import { isObject, type JsonObject, numberAt, textAt } from '../core/json.ts'
import type { Found, SmallFile } from './small-file.ts'
import { type FileBeside, filesBeside, jsonFile, type OpenFiles } from './source-file.ts'
import type { Warning } from './warning.ts'

/** A list of things to do that a session or one of its agents kept. */
export interface TodoList {
  readonly source: 'todos' | 'tasks'
  /** The session's id; of a task list its own id, which is the session's unless a team shares it. */
  readonly session: string
  /** The agent whose list it is; `null` for the session itself. */
  readonly agent: string | null
  /** The file of a todo list, the folder of a task list. */
  readonly file: string
  readonly modifiedAt: string | null
  readonly items: readonly TodoItem[]
}

/** One thing to do. */
export interface TodoItem {
  readonly id: string | null
  readonly text: string | null
  readonly status: string | null
}

/** Reads the todo lists and the task lists of some roots. Lists without an item are kept: clients make one per session. */
export function readTodos(open: OpenFiles): Found<TodoList> {
  const warnings: Warning[] = []
  const todos = filesBeside(open, isTodoList, (beside) => todoList(beside, warnings))
  const files = filesBeside(open, isInTasks, (beside) => [{ path: beside.entry.path, tasks: taskIn(beside, warnings) }])
  const lists = [...grouped(files, ({ path }) => dirname(path))].map(([folder, own]) => {
    return taskList(
      folder,
      own.flatMap(({ tasks }) => tasks),
    )
  })
  return { items: [...todos, ...lists], warnings }
}

/** A test for the paths of todo lists and of tasks. */
export function isTodo(path: string): boolean {
  return isTodoList(path) || isInTasks(path)
}

function isTodoList(path: string): boolean {
  return path === 'todos/' || /^todos\/[^./][^/]*\.json$/.test(path)
}

/** All files of a task list: one without a task has a lock at least. */
function isInTasks(path: string): boolean {
  return /^tasks\/(?:[^/]+\/[^/]*)?$/.test(path)
}

function todoList(beside: FileBeside, warnings: Warning[]): TodoList[] {
  const { path } = beside.entry
  const read = jsonFile(beside, warnings)
  if (read === undefined) return []
  if (!Array.isArray(read.value)) warnings.push({ file: path, message: 'The file is not a list of things to do.' })
  const rows = Array.isArray(read.value) ? read.value.filter(isObject) : []
  const [session = '', agent = session] = basename(path, '.json').split(/-agent-(.*)/s)
  return [
    {
      source: 'todos',
      session,
      agent: agent === session ? null : agent,
      file: path,
      modifiedAt: read.file.modifiedAt,
      items: rows.map(toItem),
    },
  ]
}

interface Task {
  readonly file: SmallFile
  readonly row: JsonObject
}

function taskIn(beside: FileBeside, warnings: Warning[]): readonly Task[] {
  const { path } = beside.entry
  if (!/^[^.].*\.json$/.test(basename(path))) return []
  const read = jsonFile(beside, warnings)
  if (read === undefined) return []
  if (isObject(read.value)) return [{ file: read.file, row: read.value }]
  warnings.push({ file: path, message: 'The file is not a task.' })
  return []
}

function taskList(folder: string, tasks: readonly Task[]): TodoList {
  const inOrder = tasks.toSorted((a, b) => numberOf(a.file.path) - numberOf(b.file.path))
  const times = tasks.flatMap(({ file }) => file.modifiedAt ?? [])
  return {
    source: 'tasks',
    session: basename(folder),
    agent: null,
    file: folder,
    modifiedAt: times.sort().at(-1) ?? null,
    items: inOrder.map(({ row }) => toItem(row)),
  }
}

function numberOf(path: string): number {
  const number = Number.parseInt(basename(path), 10)
  return Number.isNaN(number) ? Number.MAX_SAFE_INTEGER : number
}

function toItem(row: JsonObject): TodoItem {
  return {
    id: textAt(row, 'id') ?? numberAt(row, 'id')?.toString() ?? null,
    text: textAt(row, 'content') ?? textAt(row, 'subject') ?? null,
    status: textAt(row, 'status') ?? null,
  }
}
