import { structuredPatch } from 'diff'
import { type Compare, editHunks } from '../../core/edit-hunks.ts'
import { type JsonObject, objectsAt, stringAt } from '../../core/json.ts'
import type { Hunk } from '../../core/tool-call.ts'
import type { ToolCall } from './tool-call.ts'

/** One line of a change. */
export interface ChangedLine {
  readonly sign: '+' | '-' | ' ' | '\\'
  readonly text: string
  readonly oldNumber: number | null
  readonly newNumber: number | null
}

/** A change of a file: its parts, and how many lines came and went. */
export interface Change {
  readonly hunks: readonly (readonly ChangedLine[])[]
  readonly added: number
  readonly removed: number
  /** Where in the file it was is known. */
  readonly isNumbered: boolean
}

/** What a call changed; `undefined` for calls that change no file. */
export function changeOf({ name, input, patch }: Pick<ToolCall, 'name' | 'input' | 'patch'>): Change | undefined {
  if (patch) return toChange(patch, true)
  const edits = editsOf(name, input)
  if (edits.length === 0) return undefined
  const isWhole = name === 'Write'
  return toChange(
    edits.flatMap(([before, after]) => editHunks(before, after, compare)),
    isWhole,
  )
}

/** What makes one text of a file another. */
export function changeBetween(before: string, after: string): Change {
  return toChange(editHunks(before, after, compare), true)
}

/** The texts that a call took out of a file and put in their places. */
function editsOf(name: string, input: JsonObject): readonly (readonly [string, string])[] {
  if (name === 'Write') return [['', stringAt(input, 'content') ?? '']]
  const pieces = name === 'Edit' ? [input] : name === 'MultiEdit' ? objectsAt(input, 'edits') : []
  return pieces.map((piece) => [stringAt(piece, 'old_string') ?? '', stringAt(piece, 'new_string') ?? ''])
}

function toChange(hunks: readonly Hunk[], isNumbered: boolean): Change {
  const parts = hunks.map((hunk) => linesOf(hunk, isNumbered))
  const count = (sign: string) => parts.reduce((n, lines) => n + lines.filter((line) => line.sign === sign).length, 0)
  return { hunks: parts, added: count('+'), removed: count('-'), isNumbered }
}

const compare: Compare = (before, after, maxEditLength) =>
  structuredPatch('', '', before, after, undefined, undefined, { context: 3, maxEditLength })?.hunks

function linesOf({ oldStart, newStart, lines }: Hunk, isNumbered: boolean): readonly ChangedLine[] {
  let [oldNumber, newNumber] = [oldStart, newStart]
  return lines.map((line) => {
    const sign = line.slice(0, 1)
    const text = line.slice(1).replace(/\r$/, '')
    const numbers = (old: boolean, now: boolean) => ({
      oldNumber: old && isNumbered ? oldNumber : null,
      newNumber: now && isNumbered ? newNumber : null,
    })
    if (sign === '\\') return { sign, text: text.trimStart(), oldNumber: null, newNumber: null }
    if (sign === '-') {
      const changed = { sign, text, ...numbers(true, false) } as const
      oldNumber++
      return changed
    }
    if (sign === '+') {
      const changed = { sign, text, ...numbers(false, true) } as const
      newNumber++
      return changed
    }
    const kept = { sign: ' ', text, ...numbers(true, true) } as const
    oldNumber++
    newNumber++
    return kept
  })
}
