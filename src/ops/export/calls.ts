import { type Compare, editHunks } from '../../core/edit-hunks.ts'
import { booleanAt, type JsonObject, numberAt, objectAt, objectsAt, stringAt, textAt } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import { fileOf, type Hunk, hunksAt, planOf } from '../../core/tool-call.ts'
import { cut, shownLine, shownText } from './shown-text.ts'

/** A tool call as a page or a text shows it; all of it is as a reader sees it, nothing is escaped yet. */
export interface ShownCall {
  readonly name: string
  /** What it is about, on one line: a path, a command, what was looked for. */
  readonly what: string
  /** What came of it, on one line. */
  readonly outcome: string
  readonly isFailed: boolean
  /** What it changed in a file; `undefined` for calls that change none. */
  readonly hunks: readonly Hunk[] | undefined
  /** What was asked for where the line above does not say all: a script, or the input's fields. */
  readonly asked: { readonly text: string; readonly language: 'sh' | 'json' | 'text' } | undefined
  /** A plan is written as Markdown. */
  readonly plan: string | undefined
  readonly result: string
  readonly agents: readonly JsonObject[]
  /** It did nothing but start an agent, which tells all there is. */
  readonly isAgent: boolean
}

/** Says what a call of a turn was, from the item as `show` gives it. */
export function shownCall(item: unknown, folder: string | null): ShownCall {
  const name = shownLine(stringAt(item, 'name') ?? '') || 'unknown'
  const input = objectAt(item, 'input') ?? {}
  const hunks = hunksOf(item, name, input)
  const isFailed = booleanAt(item, 'isError') === true
  const plan = planOf(input, undefined)
  const text = shownText((stringAt(item, 'result') ?? '').replace(/<\/?tool_use_error>/g, '')).trimEnd()
  return {
    name,
    what: cut(shownLine(whatOf(input, folder)), 160),
    outcome: outcomeOf(item, hunks, isFailed),
    isFailed,
    hunks,
    asked: hunks || plan !== null ? undefined : askedOf(name, input),
    plan: plan === null ? undefined : shownText(plan),
    // The answer to an edit that worked only repeats it, and a plan's says that it was accepted.
    result: (hunks || plan !== null) && !isFailed ? '' : text,
    agents: objectsAt(item, 'agents'),
    isAgent: name === 'Task' || name === 'Agent',
  }
}

/** Fields that say in a line what a call is about, the most telling first. */
const TELLING = ['command', 'pattern', 'query', 'url', 'description', 'subject', 'skill', 'task_id', 'prompt'] as const

function whatOf(input: JsonObject, folder: string | null): string {
  const file = fileOf(input)
  if (file !== null && input.pattern === undefined) return near(file, folder)
  const told = TELLING.map((key) => textAt(input, key)).find((text) => text !== undefined)
  const first = told ?? Object.values(input).find((value) => typeof value === 'string')
  return typeof first === 'string' ? (first.trim().split('\n')[0] ?? '') : ''
}

/** A path as it is told from the session's folder. */
function near(path: string, folder: string | null): string {
  return folder !== null && folder.length > 1 && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}

function outcomeOf(item: unknown, hunks: readonly Hunk[] | undefined, isFailed: boolean): string {
  const exitCode = numberAt(item, 'exitCode') ?? 0
  const images = numberAt(item, 'images') ?? 0
  const lines = hunks?.flatMap((hunk) => hunk.lines) ?? []
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  const overflow = textAt(item, 'overflow')
  const parts = [
    isFailed ? '✗ failed' : '',
    exitCode === 0 ? '' : `exit code ${exitCode}`,
    hunks && !isFailed ? `+${count('+')} −${count('-')}` : '',
    images === 0 ? '' : `${images} ${images === 1 ? 'image' : 'images'}`,
    overflow === undefined ? '' : `all of it in ${shownLine(overflow)}`,
    stringAt(item, 'result') === undefined ? 'no answer' : '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

function askedOf(name: string, input: JsonObject): ShownCall['asked'] {
  const command = stringAt(input, 'command')
  if (name === 'Bash' && command !== undefined) {
    return command.trim().includes('\n') || command.length > 160
      ? { text: shownText(command), language: 'sh' }
      : undefined
  }
  const keys = Object.keys(input)
  const [only] = keys.length === 1 ? Object.values(input) : []
  if (keys.length === 0 || (typeof only === 'string' && only.length <= 160 && !only.includes('\n'))) return undefined
  if (typeof only === 'string') return { text: shownText(only), language: 'text' }
  return { text: shownText(fieldsText(input)), language: 'text' }
}

/** The fields of an input, long texts as they are. */
function fieldsText(input: JsonObject): string {
  return Object.entries(input)
    .map(([key, value]) => {
      if (typeof value !== 'string') return `${key}: ${jsonText({ value }).slice(9, -1)}`
      return value.includes('\n') ? `${key}:\n${value}` : `${key}: ${value}`
    })
    .join('\n')
}

function hunksOf(item: unknown, name: string, input: JsonObject): readonly Hunk[] | undefined {
  const patch = hunksAt(item, 'patch')
  if (patch) return patch
  const edits = editsOf(name, input)
  return edits.length === 0 ? undefined : edits.flatMap(([before, after]) => editHunks(before, after, compare))
}

function editsOf(name: string, input: JsonObject): readonly (readonly [string, string])[] {
  if (name === 'Write') return [['', stringAt(input, 'content') ?? '']]
  const pieces = name === 'Edit' ? [input] : name === 'MultiEdit' ? objectsAt(input, 'edits') : []
  return pieces.map((piece) => [stringAt(piece, 'old_string') ?? '', stringAt(piece, 'new_string') ?? ''])
}

/** Lines that both texts begin and end with stay; all between them was changed. Logs hold finer patches themselves. */
const compare: Compare = (before, after) => {
  const old = before.split('\n').slice(0, -1)
  const now = after.split('\n').slice(0, -1)
  const least = Math.min(old.length, now.length)
  let head = 0
  while (head < least && old[head] === now[head]) head++
  let tail = 0
  while (tail < least - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const from = Math.max(0, head - CONTEXT)
  const kept = Math.min(tail, CONTEXT)
  const end = (lines: readonly string[]) => lines.length - tail
  const lines = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, end(old)).map((line) => `-${line}`),
    ...now.slice(head, end(now)).map((line) => `+${line}`),
    ...old.slice(end(old), end(old) + kept).map((line) => ` ${line}`),
  ]
  const size = (all: readonly string[]) => end(all) + kept - from
  return [{ oldStart: from + 1, oldLines: size(old), newStart: from + 1, newLines: size(now), lines }]
}

const CONTEXT = 3
