/**
 * Finds the lines that two texts share, in order: for each line after, which line before it is, or -1 where it is none of them. What
 * both begin and end with stays; between, lines that stand once in both hold the rest together, and what is left is compared line by
 * line, the shortest way. Stretches that differ in too many places share nothing.
 */
export function matchLines(before: readonly string[], after: readonly string[]): Int32Array {
  const numbers = new Map<string, number>()
  const old = numbered(before, numbers)
  const made = numbered(after, numbers)
  const matched = new Int32Array(after.length).fill(-1)
  // Not recursion: a text may have very many stretches.
  const stretches: Stretch[] = [[0, old.length, 0, made.length]]
  for (let next = stretches.pop(); next; next = stretches.pop()) {
    const [from, to, start, end] = trimmed(next, old, made, matched)
    if (from === to || start === end) continue
    const anchors = anchorsIn([from, to, start, end], old, made)
    if (anchors.length === 0) shortestWay([from, to, start, end], old, made, matched)
    let [oldAt, newAt] = [from, start]
    for (const [oldLine, newLine] of anchors) {
      matched[newLine] = oldLine
      stretches.push([oldAt, oldLine, newAt, newLine])
      oldAt = oldLine + 1
      newAt = newLine + 1
    }
    if (anchors.length > 0) stretches.push([oldAt, to, newAt, end])
  }
  return matched
}

/** Lines before from where to where, and lines after. */
type Stretch = readonly [from: number, to: number, start: number, end: number]

function numbered(lines: readonly string[], numbers: Map<string, number>): Int32Array {
  return Int32Array.from(lines, (line) => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  })
}

/** Takes off what a stretch begins and ends with on both sides. */
function trimmed([from, to, start, end]: Stretch, old: Int32Array, made: Int32Array, matched: Int32Array): Stretch {
  let [a, b, c, d] = [from, to, start, end]
  while (a < b && c < d && old[a] === made[c]) matched[c++] = a++
  while (a < b && c < d && old[b - 1] === made[d - 1]) matched[--d] = --b
  return [a, b, c, d]
}

/** Lines that stand once on both sides and in the same order: the longest row of them. */
function anchorsIn([from, to, start, end]: Stretch, old: Int32Array, made: Int32Array): readonly [number, number][] {
  const places = new Map<number, number>()
  for (let i = from; i < to; i++) places.set(old[i] as number, places.has(old[i] as number) ? -1 : i)
  const twice = new Set<number>()
  const seen = new Set<number>()
  for (let i = start; i < end; i++) {
    if (seen.has(made[i] as number)) twice.add(made[i] as number)
    seen.add(made[i] as number)
  }
  const pairs: [number, number][] = []
  for (let i = start; i < end; i++) {
    const place = twice.has(made[i] as number) ? -1 : (places.get(made[i] as number) ?? -1)
    if (place !== -1) pairs.push([place, i])
  }
  return longestRising(pairs)
}

function longestRising(pairs: readonly [number, number][]): readonly [number, number][] {
  const tails: number[] = []
  const previous = new Int32Array(pairs.length).fill(-1)
  for (const [i, [value]] of pairs.entries()) {
    let [low, high] = [0, tails.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[tails[middle] as number] as [number, number])[0] < value) low = middle + 1
      else high = middle
    }
    if (low > 0) previous[i] = tails[low - 1] as number
    tails[low] = i
  }
  const row: [number, number][] = []
  for (let i = tails.at(-1) ?? -1; i !== -1; i = previous[i] as number) row.push(pairs[i] as [number, number])
  return row.reverse()
}

/** Ways with more steps than this are not looked for: what they leave of a stretch is as good as new. */
const MOST_STEPS = 1000

/** The shortest way from one stretch to the other by lines taken and lines added (Myers). */
function shortestWay([from, to, start, end]: Stretch, old: Int32Array, made: Int32Array, matched: Int32Array): void {
  const [n, m] = [to - from, end - start]
  const most = Math.min(n + m, MOST_STEPS)
  const furthest = new Int32Array(2 * most + 3)
  const ways: Int32Array[] = []
  for (let steps = 0; steps <= most; steps++) {
    ways.push(furthest.slice())
    for (let k = -steps; k <= steps; k += 2) {
      const at = k + most + 1
      const isDown = k === -steps || (k !== steps && (furthest[at - 1] as number) < (furthest[at + 1] as number))
      let x = isDown ? (furthest[at + 1] as number) : (furthest[at - 1] as number) + 1
      while (x < n && x - k < m && old[from + x] === made[start + x - k]) x += 1
      furthest[at] = x
      if (x >= n && x - k >= m) {
        for (const [x1, y1] of wayBack(ways, most, n, m)) matched[start + y1] = from + x1
        return
      }
    }
  }
}

/** The lines that a way keeps, from its end. */
function* wayBack(ways: readonly Int32Array[], most: number, n: number, m: number): Generator<[number, number]> {
  let [x, y] = [n, m]
  for (let steps = ways.length - 1; steps >= 0; steps--) {
    const way = ways[steps] as Int32Array
    const k = x - y
    const at = k + most + 1
    const isDown = k === -steps || (k !== steps && (way[at - 1] as number) < (way[at + 1] as number))
    const before = isDown ? k + 1 : k - 1
    const x0 = steps === 0 ? 0 : (way[before + most + 1] as number)
    const y0 = steps === 0 ? 0 : x0 - before
    while (x > x0 && y > y0) yield [--x, --y]
    if (steps > 0) [x, y] = [x0, y0]
  }
}
