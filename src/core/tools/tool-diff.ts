import { type Compare, editHunks } from './edit-hunks.ts'
import type { Hunk } from './tool-call.ts'
import type { ToolMeaning } from './tool-meaning.ts'

/** What a call changed in a file. */
export interface FileDiff {
  readonly hunks: readonly Hunk[]
  /** The numbers of lines are those of the file. */
  readonly isNumbered: boolean
  readonly added: number
  readonly removed: number
}

/**
 * What a call changed: by its patch, else by the texts that it replaced; `undefined` for calls that change no text of a file.
 * How texts are compared is passed in.
 */
export function diffOf(meaning: ToolMeaning, patch: readonly Hunk[] | null, compare: Compare): FileDiff | undefined {
  if (patch) return fileDiff(patch, true)
  if (meaning.kind === 'write') return fileDiff(editHunks('', meaning.content, compare), true)
  if (meaning.kind !== 'edit') return undefined
  const hunks = meaning.replacements.flatMap(({ oldText, newText }) => editHunks(oldText, newText, compare))
  return fileDiff(hunks, false)
}

/** Parts of a patch with the lines that came and went counted. */
export function fileDiff(hunks: readonly Hunk[], isNumbered: boolean): FileDiff {
  const count = (sign: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0)
  return { hunks, isNumbered, added: count('+'), removed: count('-') }
}
