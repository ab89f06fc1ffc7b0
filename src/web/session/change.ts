import { structuredPatch } from 'diff'
import { type Compare, editHunks } from '../../core/tools/edit-hunks.ts'
import type { Hunk } from '../../core/tools/tool-call.ts'
import { diffOf, type FileDiff, fileDiff } from '../../core/tools/tool-diff.ts'
import type { ToolMeaning } from '../../core/tools/tool-meaning.ts'

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
export function changeOf(meaning: ToolMeaning, patch: readonly Hunk[] | null): Change | undefined {
  const diff = diffOf(meaning, patch, compare)
  return diff && toChange(diff)
}

/** What makes one text of a file another. */
export function changeBetween(before: string, after: string): Change {
  return toChange(fileDiff(editHunks(before, after, compare), true))
}

function toChange({ hunks, ...counted }: FileDiff): Change {
  return { hunks: hunks.map((hunk) => linesOf(hunk, counted.isNumbered)), ...counted }
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
