import { basename, join } from 'node:path'
import { arrayAt, isObject, type JsonObject, numberAt, textAt } from '../core/json.ts'
import { type FolderEntry, type Found, listFolder, readJsonFile } from './small-file.ts'
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
  readonly description: string | null
  readonly status: string | null
  readonly activeForm: string | null
  readonly owner: string | null
  readonly blocks: readonly string[]
  readonly blockedBy: readonly string[]
  readonly file: string
}

/** Reads the todo lists and the task lists of a root. Lists without an item are kept: clients make one per session. */
export function readTodos(root: string): Found<TodoList> {
  const warnings: Warning[] = []
  const todos = listFolder(join(root, 'todos'), warnings).filter(isJson)
  const tasks = listFolder(join(root, 'tasks'), warnings).filter((entry) => entry.kind === 'folder')
  const items = [
    ...todos.flatMap((entry) => todoList(entry.path, warnings)),
    ...tasks.map((folder) => taskList(folder, warnings)),
  ]
  return { items, warnings }
}

function isJson(entry: FolderEntry): boolean {
  return entry.name.endsWith('.json') && !entry.name.startsWith('.')
}

function todoList(path: string, warnings: Warning[]): TodoList[] {
  const read = readJsonFile(path, warnings)
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
      items: rows.map((row) => toItem(row, path)),
    },
  ]
}

function taskList(folder: FolderEntry, warnings: Warning[]): TodoList {
  const reads = listFolder(folder.path, warnings)
    .filter(isJson)
    .flatMap(({ path }) => {
      const read = readJsonFile(path, warnings)
      if (read === undefined) return []
      if (isObject(read.value)) return [{ file: read.file, row: read.value }]
      warnings.push({ file: path, message: 'The file is not a task.' })
      return []
    })
    .sort((a, b) => numberOf(a.file.path) - numberOf(b.file.path))
  const times = reads.flatMap((read) => read.file.modifiedAt ?? [])
  return {
    source: 'tasks',
    session: folder.name,
    agent: null,
    file: folder.path,
    modifiedAt: times.sort().at(-1) ?? null,
    items: reads.map(({ file, row }) => toItem(row, file.path)),
  }
}

function numberOf(path: string): number {
  const number = Number.parseInt(basename(path), 10)
  return Number.isNaN(number) ? Number.MAX_SAFE_INTEGER : number
}

function toItem(row: JsonObject, file: string): TodoItem {
  return {
    id: idAt(row, 'id'),
    text: textAt(row, 'content') ?? textAt(row, 'subject') ?? null,
    description: textAt(row, 'description') ?? null,
    status: textAt(row, 'status') ?? null,
    activeForm: textAt(row, 'activeForm') ?? null,
    owner: textAt(row, 'owner') ?? null,
    blocks: idsAt(row, 'blocks'),
    blockedBy: idsAt(row, 'blockedBy'),
    file,
  }
}

function idAt(row: JsonObject, key: string): string | null {
  return textAt(row, key) ?? numberAt(row, key)?.toString() ?? null
}

function idsAt(row: JsonObject, key: string): readonly string[] {
  return arrayAt(row, key)
    .filter((id) => typeof id === 'string' || typeof id === 'number')
    .map(String)
}
