import { isMadeOfWords, isWord } from './random.ts'
import type { Span } from './rule.ts'
import { stretches, type TextView } from './views.ts'

/** Narrower and wider terminals are not believed in. */
const NARROWEST = 16
const WIDEST = 240
/** A line so long may also have been broken once, by hand or by a mail program: the next may be longer then. */
const LONG = 60
/** How far before a keyword its secret may begin. */
const BEFORE = 96

/**
 * The lines around a place as one, where a terminal may have wrapped them: a wrapped line is as long as those before it, and
 * the next is no longer. `undefined` where that is not so. `until` where lines are no longer looked at; `isLed` where the secret
 * begins before the place.
 */
export function unwrapped(text: string, at: number, until: number, isLed: boolean): TextView | undefined {
  if (!isLed && !mayGoOn(text, at)) return undefined
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
  for (let row = own; widthOf(row) === width && row.to < until; ) {
    const next = rowBehind(text, row, until)
    if (!next || next.to === next.from || (widthOf(next) > width && width < LONG)) break
    rows.push(next)
    row = next
  }
  return rows.length > 1 ? stretches(text, rows) : undefined
}

/** Whether the next line is there and not indented: most are no part of this one, which is cheap to see. */
function mayGoOn(text: string, at: number): boolean {
  const end = rowEnd(text, at)
  if (end === undefined) return false
  const next = text.charCodeAt(end) === 13 ? end + 2 : end + 1
  return next < text.length && !/\s/.test(text[text[next] === ' ' ? next + 1 : next] ?? ' ')
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
  const name = /^([A-Za-z_][\w.-]{1,60})["']?(?:\s?=\s?(?!["'`]\s*(?:[\n,;)}\]]|$))[^\s=]|:\s|\()/.exec(next)?.[1]
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

/** The next line, as far as it is looked at. */
function rowBehind(text: string, { to }: Span, until: number): Span | undefined {
  const from = text.charCodeAt(to) === 13 ? to + 2 : to + 1
  if (from >= text.length || from >= until) return undefined
  return { from, to: rowEnd(text, from) ?? Math.min(until, text.length) }
}

function rowEnd(text: string, from: number): number | undefined {
  let to = from
  while (to < text.length && text.charCodeAt(to) !== 10) if (++to - from > WIDEST) return undefined
  return text.charCodeAt(to - 1) === 13 && to > from ? to - 1 : to
}
