import { encodedTexts } from './base64.ts'
import { keywordScanner } from './keywords.ts'
import type { Rule, Span } from './rule.ts'
import { joined, type TextView, unescaped, withoutColour, withoutEntities, withoutPercents } from './views.ts'
import { goesOn, unwrapped } from './wrapped-lines.ts'

/** A secret that was found: where it stands, and what it is once decoded. */
export interface Found extends Span {
  readonly kind: string
  readonly secret: string
}

/** A rule that looks at the whole text by itself: a pattern of the user's own. */
export interface WholeRule {
  readonly kind: string
  readonly keywords: readonly string[]
  readonly find: (text: string) => Iterable<Span>
}

/** Finds all secrets of a text, none overlapping another, in order. */
export type Finder = (text: string) => readonly Found[]

/** How far an encoded secret is looked at, before and behind its keyword. */
const BEFORE = 96
const BEHIND = 400
/** base64 in base64 is opened, a third one is not. */
const DEEPEST = 2
const PASSES = 4

/** What a finder is made of. */
export interface FinderOptions {
  /** An earlier one names what several find. */
  readonly rules: readonly Rule[]
  readonly wholeRules?: readonly WholeRule[]
  /** Secrets that may be seen. */
  readonly isAllowed?: (secret: string) => boolean
}

/** Makes a finder of rules. */
export function createFinder({ rules, wholeRules = [], isAllowed }: FinderOptions): Finder {
  const words = [...new Set([...rules, ...wholeRules].flatMap((rule) => rule.keywords))]
  const rulesOf = words.map((word) => rules.filter((rule) => rule.keywords.includes(word)))
  const scanner = keywordScanner(words)
  const order = new Map([...wholeRules, ...rules].map((rule, at) => [rule.kind, at] as const).reverse())

  /** What the rules find in a text as it stands. */
  function searched(text: string): Found[] {
    const hits = scanner.scan(text)
    const found: Found[] = []
    if (hits.length === 0 && wholeRules.length === 0) return found
    const seen = new Set<string>()
    for (let at = 0; at < hits.length; at += 2) {
      const word = hits[at + 1] as number
      if (wholeRules.length > 0) seen.add(words[word] as string)
      for (const rule of rulesOf[word] as readonly Rule[]) {
        const place = hits[at] as number
        if (rule.isSecond && isFoundAt(found, rule.kind, place)) continue
        const one = matchAt(rule, text, place)
        if (one) found.push(one)
      }
    }
    for (const { kind, keywords, find } of wholeRules) {
      if (keywords.length > 0 && !keywords.some((word) => seen.has(word))) continue
      for (const span of find(text)) found.push({ ...span, kind, secret: text.slice(span.from, span.to) })
    }
    return found
  }

  /** The same, with colours taken out and encodings opened. */
  function pass(text: string, depth: number): readonly Found[] {
    const colourless = text.includes('\u001b') ? withoutColour(text) : undefined
    const plain = colourless?.text ?? text
    const found = searched(plain)
    for (const decoded of [withoutPercents(plain), withoutEntities(plain)]) {
      if (decoded) for (const one of searched(decoded.text)) found.push({ ...one, ...decoded.origin(one) })
    }
    if (depth < DEEPEST) {
      for (const encoded of encodedTexts(plain)) {
        for (const { kind, secret, from, to } of merged(pass(encoded.text, depth + 1), order)) {
          found.push({ ...encoded.origin(from, to), kind, secret })
        }
      }
    }
    const hidden = isAllowed ? found.filter(({ secret }) => !isAllowed(secret)) : found
    return colourless ? hidden.map((one) => ({ ...one, ...colourless.origin(one) })) : hidden
  }

  return (text) => {
    let found = pass(text, 0)
    if (found.length === 0) return found
    found = merged(withoutPlaceholders(text, found), order)
    // What stood beside a secret may have kept another from being seen.
    for (let round = 1, isMore = found.length > 0; isMore && round < PASSES; round++) {
      const more = withoutPlaceholders(text, pass(masked(text, found), 0))
      isMore = more.length > 0
      if (isMore) found = merged([...found, ...more], order)
    }
    return found
  }
}

/** Whether the last of what was found is of this kind, and reaches here. */
function isFoundAt(found: readonly Found[], kind: string, at: number): boolean {
  const last = found.at(-1)
  return last !== undefined && last.kind === kind && last.from <= at && at < last.to
}

/** The secret at a keyword: as it stands, else with its wrapped lines joined, else with escapes read, else cut off. */
function matchAt(rule: Rule, text: string, at: number): Found | undefined {
  const plain = rule.match(text, at)
  if (plain) {
    const longer = isLineBreak(text[plain.to]) ? wrappedAt(rule, text, at, plain) : undefined
    return longer ?? { kind: rule.kind, secret: text.slice(plain.from, plain.to), ...plain }
  }
  const mayBeEncoded = rule.mayBeEncoded(text, at)
  const found = mayBeEncoded || rule.isGuess ? wrappedAt(rule, text, at, undefined) : undefined
  if (found) return found
  const decoded = mayBeEncoded ? encodedAt(rule, text, at) : undefined
  if (decoded) return decoded
  const cut = rule.matchCut?.(text, at)
  return cut && { kind: rule.kind, secret: text.slice(cut.from, cut.to), ...cut }
}

function isLineBreak(char: string | undefined): boolean {
  return char === '\n' || char === '\r'
}

/** A secret that goes on in the next line, where a terminal may have wrapped it. */
function wrappedAt(rule: Rule, text: string, at: number, plain: Span | undefined): Found | undefined {
  if (rule.isSecond) return undefined
  const foundUntil = (until: number) => {
    const view = unwrapped(text, at, until, rule.isLed === true)
    const found = view && inView(rule, view, at)
    return found && found.to > (plain?.to ?? 0) ? found : undefined
  }
  const found = foundUntil(at + (rule.reach ?? BEHIND))
  if (!found || goesOn(text, found, plain !== undefined || rule.isGuess === true)) return found
  // The keyword may be broken and the secret whole.
  return plain ? undefined : foundUntil(text.indexOf('\n', found.from))
}

function encodedAt(rule: Rule, text: string, at: number): Found | undefined {
  const window = { from: Math.max(0, at - BEFORE), to: Math.min(text.length, at + (rule.reach ?? BEHIND)) }
  const part = text.slice(window.from, window.to)
  const found = /[\\%]/.test(part) ? inView(rule, unescaped(text, window), at) : undefined
  if (found || rule.isGuess || !/\n|\\n/.test(part)) return found
  const across = inView(rule, joined(text, window, false), at) ?? inView(rule, joined(text, window, true), at)
  // A blank line ends everything but the block of a key.
  return across && !(/\n\s*\n/.test(text.slice(across.from, across.to)) && !part.includes('-----')) ? across : undefined
}

function inView(rule: Rule, view: TextView, at: number): Found | undefined {
  const span = rule.match(view.text, view.placeOf(at))
  return span && { kind: rule.kind, secret: view.text.slice(span.from, span.to), ...view.origin(span) }
}

/** One find where several overlap: all that they cover, named by the first rule of the table. */
function merged(found: readonly Found[], order: ReadonlyMap<string, number>): readonly Found[] {
  const rank = ({ kind }: Found) => order.get(kind) ?? Number.POSITIVE_INFINITY
  const result: Found[] = []
  for (const one of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = result.at(-1)
    if (!last || one.from >= last.to) {
      result.push(one)
      continue
    }
    const better = rank(one) < rank(last) ? one : last
    result[result.length - 1] = { ...better, from: last.from, to: Math.max(last.to, one.to) }
  }
  return result
}

/** The text with what was found overwritten, every other character where it was. */
function masked(text: string, found: readonly Found[]): string {
  let result = ''
  let last = 0
  for (const { from, to } of found) {
    result += text.slice(last, from) + '['.repeat(to - from)
    last = to
  }
  return result + text.slice(last)
}

const PLACEHOLDER = /\[REDACTED:[a-z0-9-]{1,40}:[0-9a-f]{4}\]/g

/** Placeholders of an earlier time stay as they are, unless they are part of something longer. */
function withoutPlaceholders(text: string, found: readonly Found[]): readonly Found[] {
  if (found.length === 0 || !text.includes('[REDACTED:')) return found
  const places = [...text.matchAll(PLACEHOLDER)].map(({ index, 0: all }) => ({ from: index, to: index + all.length }))
  let next = 0
  return found
    .toSorted((a, b) => a.from - b.from)
    .filter((one) => {
      while (next < places.length && (places[next] as Span).to <= one.from) next++
      const place = places[next]
      return !place || place.from >= one.to || reachesOut(one, place)
    })
}

function reachesOut(one: Span, place: Span): boolean {
  return place.from - one.from + one.to - place.to >= 8 && one.from <= place.from && one.to >= place.to
}
