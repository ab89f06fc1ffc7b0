import type { JsonObject } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import type { Compare } from '../core/tools/edit-hunks.ts'
import { meaningOf } from '../core/tools/meaning-of.ts'
import { type Hunk, resultText } from '../core/tools/tool-call.ts'
import { diffOf, type FileDiff } from '../core/tools/tool-diff.ts'
import type { ToolMeaning } from '../core/tools/tool-meaning.ts'
import { toolWords } from '../core/tools/tool-words.ts'
import type { ShownTool } from '../history/view/item-shape.ts'
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
  readonly agents: readonly string[]
  /** It did nothing but start an agent, which tells all there is. */
  readonly isAgent: boolean
}

/** Says what a call of a turn was, from the item as `show` gives it. */
export function shownCall(item: ShownTool, folder: string | null): ShownCall {
  const meaning = meaningOf(item)
  const { what } = toolWords(item.name, meaning, (path) => near(path, folder))
  const diff = diffOf(meaning, item.patch, compare)
  const plan = meaning.kind === 'plan' ? meaning.plan : null
  const isFailed = item.isError === true
  const isSaid = diff !== undefined || plan !== null
  return {
    name: shownLine(item.name) || 'unknown',
    what: cut(shownLine(what.trim().split('\n')[0] ?? ''), 160),
    outcome: outcomeText(item, meaning, diff),
    isFailed,
    hunks: diff?.hunks,
    asked: isSaid ? undefined : askedOf(meaning, item.input),
    plan: plan === null ? undefined : shownText(plan),
    // The answer to an edit that worked only repeats it, and a plan's says that it was accepted.
    result: isSaid && !isFailed ? '' : shownText(resultText(item)).trimEnd(),
    agents: item.agents.map(({ id }) => id),
    isAgent: meaning.kind === 'agent',
  }
}

/** A path as it is told from the session's folder, which is `.` itself. */
function near(path: string, folder: string | null): string {
  if (path === folder) return '.'
  return folder !== null && folder.length > 1 && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}

function outcomeText(item: ShownTool, meaning: ToolMeaning, diff: FileDiff | undefined): string {
  const { outcome, isError, exitCode, images, overflow } = item
  const parts = [
    outcome === 'unanswered' ? 'no answer' : '',
    outcome === 'declined' || outcome === 'interrupted' ? `✗ ${outcome}` : '',
    outcome === 'failed' && isError ? '✗ failed' : '',
    exitCode === null || exitCode === 0 ? '' : `exit code ${exitCode}`,
    meaning.kind === 'shell' ? shownLine(meaning.returnCodeInterpretation ?? '') : '',
    diff && !isError ? `+${diff.added} −${diff.removed}` : '',
    images === 0 ? '' : `${images} ${images === 1 ? 'image' : 'images'}`,
    overflow === null ? '' : `all of it in ${shownLine(overflow)}`,
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

function askedOf(meaning: ToolMeaning, input: JsonObject): ShownCall['asked'] {
  if (meaning.kind === 'shell') {
    const { command } = meaning
    const isLong = command.trim().includes('\n') || command.length > 160
    return isLong ? { text: shownText(command), language: 'sh' } : undefined
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
