import type { Hunk } from './tool-call.ts'

/** Compares two texts line by line; `undefined` where they differ in more than so many places. */
export type Compare = (before: string, after: string, mostEdits: number) => readonly Hunk[] | undefined

const MOST_EDITS = 2000

/** What an edit changed, as the parts of a patch. How lines are compared is passed in. */
export function editHunks(oldText: string, newText: string, compare: Compare): readonly Hunk[] {
  const [before, after] = ended(oldText, newText)
  const hunks = compare(before, after, MOST_EDITS)
  if (hunks) return hunks
  // Too different to be worth comparing: all of the one, then all of the other.
  const removed = before.split('\n').slice(0, -1)
  const added = after.split('\n').slice(0, -1)
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
  return [{ oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines }]
}

/** A piece of a file often ends within a line; then both get an end, so that only what differs is shown. */
function ended(oldText: string, newText: string): [string, string] {
  const isWhole = (text: string) => text === '' || text.endsWith('\n')
  if (isWhole(oldText) && isWhole(newText)) return [oldText, newText]
  return [oldText && `${oldText}\n`, newText && `${newText}\n`]
}
