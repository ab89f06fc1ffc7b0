import { diffWordsWithSpace } from 'diff'
import type { CodeToken } from '../highlight.ts'
import type { ChangedLine } from './change.ts'

/** Parts of a line that changed, from and to, in characters. */
export type Changed = readonly (readonly [from: number, to: number])[]

/** Lines longer than this are not compared word by word. */
const LONGEST = 1000

/**
 * Says which words of a part's lines changed: removed lines are compared with the added ones that stand in their place. Where two
 * lines have little in common they are other lines, and nothing is marked in them.
 */
export function wordChanges(hunk: readonly ChangedLine[]): ReadonlyMap<ChangedLine, Changed> {
  const changes = new Map<ChangedLine, Changed>()
  let removed: ChangedLine[] = []
  let added: ChangedLine[] = []
  const compare = () => {
    // Only where as many lines came as went is it clear which became which.
    if (removed.length === added.length) {
      removed.forEach((before, at) => {
        const after = added[at] as ChangedLine
        const words = changedWords(before.text, after.text)
        if (!words) return
        changes.set(before, words.removed)
        changes.set(after, words.added)
      })
    }
    removed = []
    added = []
  }
  for (const line of hunk) {
    if (line.sign === '-') {
      if (added.length > 0) compare()
      removed.push(line)
    } else if (line.sign === '+') added.push(line)
    else if (line.sign === ' ') compare()
  }
  compare()
  return changes
}

/** At least this part of two lines is the same, or they are not one line that changed. */
const LEAST_COMMON = 0.3

function changedWords(
  before: string,
  after: string,
): { readonly removed: Changed; readonly added: Changed } | undefined {
  if (before.length > LONGEST || after.length > LONGEST) return undefined
  const removed: [number, number][] = []
  const added: [number, number][] = []
  let [oldAt, newAt, common] = [0, 0, 0]
  for (const part of diffWordsWithSpace(before, after)) {
    const { length } = part.value
    if (part.removed) {
      removed.push([oldAt, oldAt + length])
      oldAt += length
    } else if (part.added) {
      added.push([newAt, newAt + length])
      newAt += length
    } else {
      common += part.value.trim().length
      oldAt += length
      newAt += length
    }
  }
  const longest = Math.max(before.trim().length, after.trim().length)
  return common >= longest * LEAST_COMMON ? { removed, added } : undefined
}

/** Coloured pieces of a line, cut where changed parts begin and end. */
export function cutTokens(
  tokens: readonly CodeToken[],
  changed: Changed,
): readonly (CodeToken & { readonly isChanged: boolean })[] {
  const cuts = changed.flat()
  let at = 0
  return tokens.flatMap((token) => {
    const from = at
    at += token.text.length
    const inside = cuts.filter((cut) => cut > from && cut < at)
    const edges = [from, ...inside, at]
    return edges.slice(1).map((to, i) => {
      const start = edges[i] as number
      const isChanged = changed.some(([a, b]) => start >= a && to <= b)
      return { ...token, text: token.text.slice(start - from, to - from), isChanged }
    })
  })
}
