import { type FoundPhrase, findPhrases, Phrases } from './phrases.ts'
import { type Query, soughtOf, type Term, wantedTerms } from './query.ts'

/** From the first UTF-16 unit of something to the one after its last. */
export type Range = readonly [from: number, to: number]

/** A piece of a text around what was found in it; `matches` are UTF-16 offsets in `snippet`. */
export interface Snippet {
  readonly snippet: string
  readonly matches: readonly Range[]
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
  const found = 'root' in target ? findTerms(text, target, Math.max(length, 1)) : fromRanges(text, target)
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

function fromRanges(text: string, ranges: readonly Range[]): readonly FoundPhrase[] {
  return ranges
    .map(([from, to]) => ({ from: Math.max(0, from), to: Math.min(text.length, to), term: 0 }))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from)
}

/** More matches than this make no better snippet. */
const MAX_MATCHES = 200

/**
 * The matches of a query's terms in a text, in order, as full-text search sees them. Of one term alone the first piece shows as much as any:
 * what stands behind it is not looked for.
 */
function findTerms(text: string, query: Query, length: number): readonly FoundPhrase[] {
  const inText = new Phrases()
  const inWords = new Phrases()
  const terms = wantedTerms(query)
  terms.forEach((term, i) => {
    addPatterns(term, i, inText, inWords)
  })
  const found: FoundPhrase[] = []
  let first = Number.POSITIVE_INFINITY
  const give = (one: FoundPhrase) => {
    found.push(one)
    first = Math.min(first, one.from)
  }
  const isBehind = (at: number | undefined) => terms.length === 1 && at !== undefined && at >= first + length
  findPhrases(text, inText, inWords, give, (at) => found.length >= MAX_MATCHES || isBehind(at))
  return found.sort((a, b) => a.from - b.from || b.to - a.to)
}

function addPatterns(term: Term, index: number, inText: Phrases, inWords: Phrases): void {
  const sought = soughtOf(term)
  if (!sought) return
  inText.add({ term: index, words: sought.words, isPrefix: term.isPrefix })
  if (sought.kind === 'plain') inWords.add({ term: index, words: sought.words, isPrefix: term.isPrefix })
  else if (sought.kind === 'parts') inWords.add({ term: index, words: sought.parts, isPrefix: sought.isPrefix })
  else for (const each of sought.terms) addPatterns(each, index, inText, inWords)
}

/** The stretch of `length` that holds the most different terms; the first one of several. */
function windowOf(text: string, found: readonly FoundPhrase[], length: number): Range {
  if (text.length <= length) return [0, text.length]
  let best: Range = [0, 0]
  let most = 0
  const counts = new Map<number, number>()
  let last = 0
  for (const [i, { from, term }] of found.entries()) {
    while (last < found.length && (last <= i || (found[last] as FoundPhrase).to - from <= length)) {
      const added = (found[last++] as FoundPhrase).term
      counts.set(added, (counts.get(added) ?? 0) + 1)
    }
    if (counts.size > most) {
      most = counts.size
      best = [from, (found[last - 1] as FoundPhrase).to]
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
