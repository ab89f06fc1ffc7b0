import { type JsonObject, stringAt, textAt } from '../json.ts'
import { blocksOf, preview } from '../log/content.ts'
import { commitsOf } from '../tools/commits.ts'
import { meaningOf } from '../tools/meaning-of.ts'
import { isTestRun } from '../tools/test-runs.ts'
import { UNANSWERED } from '../tools/tool-call.ts'
import { toolWords } from '../tools/tool-words.ts'

/** A tool call, as far as a step is told by it. */
export interface StepCall {
  readonly id: string
  readonly name: string
  /** What the tool is called for people: `Read`. */
  readonly label: string
  /** With what it was about: `Read · src/auth.ts`. */
  readonly words: string
  readonly act: 'test' | 'commit' | null
  /** It waits for a person: a question, or a plan to be approved. */
  readonly isAsking: boolean
}

/** What a row of a response says and calls. */
export interface StepRow {
  /** The first line that was said; empty where nothing was. */
  readonly said: string
  readonly calls: readonly StepCall[]
}

/** A part of a turn: what the model said, and the tools that it then called; or a run of tools without a word before it. */
export interface Step {
  /** The first of its rows, as they were given. */
  readonly row: number
  readonly words: string
  /** The words are the model's own; else they tell what it did. */
  readonly isSaid: boolean
  readonly calls: readonly StepCall[]
}

/** A line of a map has room for so much. */
const WORDS = 120
/** A run of tools without a word goes on as another step after so many. */
const MOST_SILENT = 20

/** Reads what a row of a response says and calls. */
export function stepRow(raw: JsonObject): StepRow {
  const cwd = textAt(raw, 'cwd')
  const calls: StepCall[] = []
  let said = ''
  for (const block of blocksOf(raw)) {
    const type = stringAt(block, 'type') ?? ''
    if (type === 'text' && said === '') said = firstLine(stringAt(block, 'text') ?? '')
    else if (type.endsWith('tool_use')) calls.push(stepCall(block, cwd))
  }
  return { said, calls }
}

/** Cuts rows of one turn into steps. What was said last, with no call behind it, is the answer and no step. */
export function stepsOf(rows: Iterable<readonly [row: number, said: StepRow]>): readonly Step[] {
  const steps: { row: number; said: string; calls: StepCall[] }[] = []
  let begun: { readonly row: number; readonly said: string } | undefined
  for (const [row, { said, calls }] of rows) {
    if (said !== '') begun = { row, said }
    if (calls.length === 0) continue
    const last = steps.at(-1)
    const isFull = last?.said === '' && last.calls.length >= MOST_SILENT
    if (begun) steps.push({ calls: [...calls], ...begun })
    else if (!last || isFull) steps.push({ row, said: '', calls: [...calls] })
    else last.calls.push(...calls)
    begun = undefined
  }
  return steps.map(({ row, said, calls }) => ({ row, words: said || doneWords(calls), isSaid: said !== '', calls }))
}

function stepCall(block: JsonObject, cwd: string | undefined): StepCall {
  const name = stringAt(block, 'name') ?? 'unknown'
  const input = (block.input ?? {}) as JsonObject
  const meaning = meaningOf({ name, input, ...UNANSWERED })
  const path = (file: string) => (cwd && file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file)
  const { label, what } = toolWords(name, meaning, path)
  const about = firstLine(what)
  const command = meaning.kind === 'shell' ? meaning.command : ''
  const act = isTestRun(command) ? 'test' : commitsOf(command, '').length > 0 ? 'commit' : null
  const isAsking = meaning.kind === 'question' || meaning.kind === 'plan'
  const words = preview(about === '' ? label : `${label} · ${about}`, WORDS)
  return { id: stringAt(block, 'id') ?? '', name, label, words, act, isAsking }
}

/** What calls did: `Read ×6 · Grep ×2 · Edit · src/auth.ts`. */
function doneWords(calls: readonly StepCall[]): string {
  const [only] = calls
  if (calls.length === 1 && only) return only.words
  const counts = new Map<string, number>()
  for (const { label } of calls) counts.set(label, (counts.get(label) ?? 0) + 1)
  const told = [...counts].map(([label, count]) => (count === 1 ? label : `${label} ×${count}`))
  return preview(told.join(', '), WORDS)
}

/** The first line that has words, without the marks of a heading or a list. */
function firstLine(text: string): string {
  const line = text.split('\n', MOST_LINES).find((one) => /[\p{L}\p{N}]/u.test(one)) ?? ''
  const words = line
    .replace(/^[\s#>*-]+/, '')
    .replaceAll('**', '')
    .slice(0, WORDS)
  // A copy: a piece of a text would keep all of it in memory.
  return decoder.decode(encoder.encode(words)).trim()
}

const MOST_LINES = 20
const encoder = new TextEncoder()
const decoder = new TextDecoder()
