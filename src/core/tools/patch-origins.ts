import type { Hunk } from './tool-call.ts'
import { fileDiff } from './tool-diff.ts'

/**
 * The origins of the lines after a patch: those that it adds get theirs by their line, the others keep theirs. `undefined` where it does not fit
 * the lines before, or, where these are given, the lines after.
 */
export function patchOrigins(
  before: Int32Array,
  patch: readonly Hunk[],
  own: (line: number) => number,
  after?: readonly string[],
): Int32Array | undefined {
  const { added, removed } = fileDiff(patch, true)
  if (before.length + added < removed) return undefined
  const made = new Int32Array(before.length + added - removed)
  let [from, to] = [0, 0]
  const copy = (until: number) => {
    if (until < from || until > before.length || to + until - from > made.length) return false
    made.set(before.subarray(from, until), to)
    to += until - from
    from = until
    return true
  }
  for (const { oldStart, oldLines, lines } of patch) {
    if (!copy(oldLines === 0 ? oldStart : oldStart - 1)) return undefined
    for (const line of lines) {
      if (line.startsWith('+')) {
        if (after && untabbed(after[to]) !== untabbed(line.slice(1))) return undefined
        made[to] = own(to)
        to += 1
      } else if (line.startsWith('-')) from += 1
      else if (!line.startsWith('\\') && !copy(from + 1)) return undefined
    }
  }
  const isWhole = copy(before.length) && to === made.length
  return isWhole && (after === undefined || after.length === made.length) ? made : undefined
}

/** The client shows tabs at the start of lines as spaces in its patches. */
function untabbed(line: string | undefined): string | undefined {
  return line?.replace(/^\t+/, (tabs) => '  '.repeat(tabs.length))
}
