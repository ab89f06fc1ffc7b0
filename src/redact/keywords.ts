/** Finds any of many keywords in one pass over a text, whatever their case. */
export interface KeywordScanner {
  /** The keywords of a text as pairs of numbers: where one begins, and which it is. Valid until the next scan. */
  scan(text: string): ArrayLike<number>
}

const OTHER = 0
const NEWLINE = 1

/**
 * Makes one automaton (Aho-Corasick) of all keywords, so that a text costs the same however many there are. A line break
 * does not leave a state: a keyword that a terminal wrapped is still one.
 */
export function keywordScanner(keywords: readonly string[]): KeywordScanner {
  const { classes, width } = classesOf(keywords)
  const { next, ends } = automaton(
    keywords.map((word) => [...word].map((char) => classes[char.charCodeAt(0)] as number)),
    width,
  )
  const steps = stepsOf(next, ends, width)
  const hits: number[] = []
  return {
    scan(text) {
      hits.length = 0
      let step = 0
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        step = steps[(step >> 1) + (code < 128 ? (classes[code] as number) : OTHER)] as number
        // The state stays over line breaks: a keyword that ended before one was told already.
        if ((step & 1) === 0 || code === 10 || code === 13) continue
        for (const keyword of ends[(step >> 1) / width] as readonly number[]) {
          hits.push(startOf(text, at, (keywords[keyword] as string).length), keyword)
        }
      }
      return hits
    },
  }
}

/** The automaton as the loop wants it: in one number, where a state's row begins and whether a keyword ends in it. */
function stepsOf(next: Uint16Array, ends: Ends, width: number): Int32Array {
  return Int32Array.from(next, (state) => ((state * width) << 1) | (ends[state] ? 1 : 0))
}

/** Where a keyword begins that ends at `at`, line breaks not counted. */
function startOf(text: string, at: number, length: number): number {
  let start = at
  for (let left = length - 1; left > 0; ) {
    start--
    const code = text.charCodeAt(start)
    if (code !== 10 && code !== 13) left--
  }
  return start
}

/** A small number for each character that keywords use, the same for both cases; all others share one. */
function classesOf(keywords: readonly string[]): { readonly classes: Uint8Array; readonly width: number } {
  const classes = new Uint8Array(128)
  classes[10] = NEWLINE
  classes[13] = NEWLINE
  let width = NEWLINE + 1
  for (const char of new Set(keywords.join(''))) {
    for (const same of [char, char.toUpperCase()]) classes[same.charCodeAt(0)] = width
    width++
  }
  return { classes, width }
}

/** The keywords that end in a state, by their number. */
type Ends = (readonly number[] | undefined)[]

function automaton(words: readonly (readonly number[])[], width: number): { next: Uint16Array; ends: Ends } {
  const next = new Uint16Array((words.reduce((sum, word) => sum + word.length, 0) + 1) * width)
  const ends: Ends = []
  let states = 1
  for (const [number, word] of words.entries()) {
    let state = 0
    for (const char of word) {
      const at = state * width + char
      if (next[at] === 0) next[at] = states++
      state = next[at] as number
    }
    ends[state] = [...(ends[state] ?? []), number]
  }
  linkFailures(next, ends, width, states)
  return { next, ends }
}

/** Fills in where to go on when a keyword breaks off, nearest states first. */
function linkFailures(next: Uint16Array, ends: Ends, width: number, states: number): void {
  const fallback = new Uint16Array(states)
  const queue: number[] = []
  for (let char = NEWLINE + 1; char < width; char++) if (next[char]) queue.push(next[char] as number)
  for (const state of queue) {
    const back = fallback[state] as number
    const also = ends[back]
    if (also) ends[state] = [...(ends[state] ?? []), ...also]
    for (let char = NEWLINE + 1; char < width; char++) {
      const at = state * width + char
      const onward = next[back * width + char] as number
      if (next[at] === 0) next[at] = onward
      else {
        fallback[next[at] as number] = onward
        queue.push(next[at] as number)
      }
    }
  }
  for (let state = 0; state < states; state++) next[state * width + NEWLINE] = state
}
