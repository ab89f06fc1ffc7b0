import { type Query, soughtOf, type Term, wantedTerms } from './query.ts'
import { foldWord, hasCjk, hasLetters, nextWord, partsIn } from './words.ts'

/** From the first UTF-16 unit of something to the one after its last. */
export type Range = readonly [from: number, to: number]

/** A piece of a text around what was found in it; `matches` are UTF-16 offsets in `snippet`. */
export interface Snippet {
  readonly snippet: string
  readonly matches: readonly Range[]
}

/** A match, and which of the wanted terms it is one of. */
interface Found {
  readonly from: number
  readonly to: number
  readonly term: number
}

const DEFAULT_LENGTH = 160
const ELLIPSIS = '…'

/**
 * The piece of a text that shows the most of what was looked for: the terms of a query, or ranges that were found in other
 * ways. `length` is in UTF-16 units, without the ellipses where the text was cut.
 */
export function makeSnippet(
  text: string,
  target: Query | readonly Range[],
  { length = DEFAULT_LENGTH }: { readonly length?: number } = {},
): Snippet {
  const found = 'root' in target ? findTerms(text, target) : fromRanges(text, target)
  const [from, to] = windowOf(text, found, Math.max(length, 1))
  const before = from > 0 ? ELLIPSIS : ''
  const matches: [number, number][] = []
  for (const match of found) {
    const start = Math.max(match.from, from) - from + before.length
    const end = Math.min(match.to, to) - from + before.length
    const last = matches.at(-1)
    if (start >= end) continue
    if (last && start < last[1]) last[1] = Math.max(last[1], end)
    else matches.push([start, end])
  }
  return { snippet: `${before}${text.slice(from, to)}${to < text.length ? ELLIPSIS : ''}`, matches }
}

function fromRanges(text: string, ranges: readonly Range[]): readonly Found[] {
  return ranges
    .map(([from, to]) => ({ from: Math.max(0, from), to: Math.min(text.length, to), term: 0 }))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from)
}

/** More matches than this make no better snippet. */
const MAX_MATCHES = 200

/** Words in a row that stand for a term: of a text, or as the parts of one word. */
interface Pattern {
  readonly term: number
  readonly words: readonly string[]
  readonly isPrefix: boolean
}

/** The matches of a query's terms in a text, in order, as full-text search sees them. */
function findTerms(text: string, query: Query): readonly Found[] {
  const inText = new Patterns()
  const inWords = new Patterns()
  wantedTerms(query).forEach((term, i) => {
    addPatterns(term, i, inText, inWords)
  })
  const found: Found[] = []
  let begun: readonly Begun[] = []
  for (let word = nextWord(text, 0); word && found.length < MAX_MATCHES; word = nextWord(text, word.to)) {
    const own = text.slice(word.from, word.to)
    if (!word.isPlain && !hasLetters(own)) continue
    begun = inText.advance(begun, { from: word.from, to: word.to, text: foldWord(own) }, found)
    let within: readonly Begun[] = []
    const parts = word.isPlain ? [] : partsIn(own)
    for (const part of parts) {
      const at = { from: word.from + part.from, to: word.from + part.to, text: part.text }
      within = inWords.advance(within, at, found)
    }
  }
  return found.sort((a, b) => a.from - b.from || b.to - a.to)
}

function addPatterns(term: Term, index: number, inText: Patterns, inWords: Patterns): void {
  const sought = soughtOf(term)
  if (!sought) return
  inText.add({ term: index, words: sought.words, isPrefix: term.isPrefix })
  if (sought.kind === 'plain') inWords.add({ term: index, words: sought.words, isPrefix: term.isPrefix })
  else if (sought.kind === 'parts') inWords.add({ term: index, words: sought.parts, isPrefix: sought.isPrefix })
  else for (const each of sought.terms) addPatterns(each, index, inText, inWords)
}

interface At {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** A pattern of which the first words have been met. */
interface Begun {
  readonly pattern: Pattern
  readonly from: number
  readonly count: number
}

class Patterns {
  readonly #byFirst = new Map<string, Pattern[]>()
  readonly #prefixes: Pattern[] = []

  add(pattern: Pattern): void {
    const [first] = pattern.words
    if (first === undefined) return
    if (pattern.words.length === 1 && pattern.isPrefix) this.#prefixes.push(pattern)
    else this.#byFirst.set(first, [...(this.#byFirst.get(first) ?? []), pattern])
  }

  /** Takes the next word: tells what ends with it, and gives what is begun after it. */
  advance(begun: readonly Begun[], word: At, found: Found[]): readonly Begun[] {
    const next: Begun[] = []
    const take = ({ pattern, from, count }: Begun): void => {
      const wanted = pattern.words[count] as string
      const isLast = count === pattern.words.length - 1
      const isMet = isLast && pattern.isPrefix ? word.text.startsWith(wanted) : word.text === wanted
      if (!isMet) return
      // Of a pair of CJK characters that begins with the wanted one, only that one is meant.
      const to = isLast && hasCjk(wanted) && word.text !== wanted ? word.from + wanted.length : word.to
      if (isLast) found.push({ from, to, term: pattern.term })
      else next.push({ pattern, from, count: count + 1 })
    }
    for (const each of begun) take(each)
    for (const pattern of this.#byFirst.get(word.text) ?? []) take({ pattern, from: word.from, count: 0 })
    for (const pattern of this.#prefixes) take({ pattern, from: word.from, count: 0 })
    return next
  }
}

/** The stretch of `length` that holds the most different terms; the first one of several. */
function windowOf(text: string, found: readonly Found[], length: number): Range {
  if (text.length <= length) return [0, text.length]
  let best: Range = [0, 0]
  let most = 0
  const counts = new Map<number, number>()
  let last = 0
  for (const [i, { from, term }] of found.entries()) {
    while (last < found.length && (last <= i || (found[last] as Found).to - from <= length)) {
      const added = (found[last++] as Found).term
      counts.set(added, (counts.get(added) ?? 0) + 1)
    }
    if (counts.size > most) {
      most = counts.size
      best = [from, (found[last - 1] as Found).to]
    }
    const count = (counts.get(term) ?? 0) - 1
    if (count > 0) counts.set(term, count)
    else counts.delete(term)
  }
  return around(text, best, length)
}

/** More is shown after a match than before it, and no word is cut where there is a space nearby. */
function around(text: string, [from, to]: Range, length: number): Range {
  const spare = Math.max(0, length - (to - from))
  let start = Math.min(Math.max(0, from - Math.floor(spare / 3)), text.length - length)
  let end = start + length
  if (start > 0) start = spaceIn(text, start, Math.min(from, start + NEARBY)) ?? start
  if (end < text.length) end = lastSpaceIn(text, Math.max(to, end - NEARBY), end) ?? end
  if (splitsPair(text, start)) start++
  if (splitsPair(text, end)) end--
  return [start, Math.max(start, end)]
}

const NEARBY = 16

/** The place after the first white space of a stretch. */
function spaceIn(text: string, from: number, to: number): number | undefined {
  const offset = text.slice(from, to).search(/\s/)
  return offset === -1 ? undefined : from + offset + 1
}

/** The place of the last white space of a stretch. */
function lastSpaceIn(text: string, from: number, to: number): number | undefined {
  for (let at = to - 1; at >= from; at--) if (/\s/.test(text[at] as string)) return at
  return undefined
}

function splitsPair(text: string, at: number): boolean {
  return at > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1))
}
