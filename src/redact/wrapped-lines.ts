import { isMadeOfWords, isWord } from './random.ts'
import type { Span } from './rule.ts'
import { stretches, type TextView } from './views.ts'

/** Narrower and wider terminals are not believed in. */
const NARROWEST = 16
const WIDEST = 240
/** How far before a keyword its secret may begin. */
const BEFORE = 96

/**
 * The lines around a place as one, where a terminal may have wrapped them: a wrapped line is as long as those before it, and
 * the next is no longer. `undefined` where that is not so. `isLed` where the secret begins before the place.
 */
export function unwrapped(text: string, at: number, reach: number, isLed: boolean): TextView | undefined {
  const own = rowAt(text, at)
  if (!own) return undefined
  const before = own.from > 0 ? rowAt(text, own.from - 1) : undefined
  const width = Math.max(widthOf(own), before && isLed ? widthOf(before) : 0)
  if (width < NARROWEST) return undefined
  const rows = [own]
  for (let row = before; row && widthOf(row) === width && own.from - row.to < BEFORE; ) {
    rows.unshift(row)
    row = row.from > 0 ? rowAt(text, row.from - 1) : undefined
  }
  for (let row = own; widthOf(row) === width && row.to < at + reach; ) {
    const next = rowBehind(text, row)
    if (!next || next.to === next.from || widthOf(next) > width) break
    rows.push(next)
    row = next
  }
  return rows.length > 1 ? stretches(text, rows) : undefined
}

/**
 * Whether what goes on behind a line break is a part of the secret: the next line may begin with a word of its own, or
 * assign something else. `isDoubtful` where the secret could also have ended with its line.
 */
export function goesOn(text: string, { from, to }: Span, isDoubtful: boolean): boolean {
  if (!isDoubtful) return true
  const [first = '', second, third] = text.slice(from, to).split(/\r?\n/, 3)
  if (second === undefined || /[-_.+/~]$/.test(first)) return true
  const next = `${second}${third === undefined ? text.slice(to, to + 60) : ''}`
  const word = /^([A-Za-z][a-z]{1,20})(?:[\s,;:!?]|\.\s|$)/.exec(next)?.[1]
  if (word !== undefined) return !isWord(word)
  const name = /^([A-Za-z_][\w.-]{1,60})["']?(?:\s?=\s?(?!["'`]\s*(?:[,;)}\]]|$))[^\s=]|:\s|\()/m.exec(next)?.[1]
  return name === undefined || !isMadeOfWords(name)
}

function widthOf({ from, to }: Span): number {
  return to - from
}

/** The line that a place stands in, without its line break; `undefined` where it is too long. */
function rowAt(text: string, at: number): Span | undefined {
  let from = at
  while (from > 0 && text.charCodeAt(from - 1) !== 10) if (at - --from > WIDEST) return undefined
  const to = rowEnd(text, at)
  return to === undefined || to - from > WIDEST ? undefined : { from, to }
}

function rowBehind(text: string, { to }: Span): Span | undefined {
  const from = text.charCodeAt(to) === 13 ? to + 2 : to + 1
  if (from >= text.length) return undefined
  const end = rowEnd(text, from)
  return end === undefined ? undefined : { from, to: end }
}

function rowEnd(text: string, from: number): number | undefined {
  let to = from
  while (to < text.length && text.charCodeAt(to) !== 10) if (++to - from > WIDEST) return undefined
  return text.charCodeAt(to - 1) === 13 && to > from ? to - 1 : to
}
