import type { Span } from './rule.ts'

/** A text as it reads once something was taken out or decoded, and where each of its characters came from. */
export interface TextView {
  readonly text: string
  /** Where a stretch of the view lies in the original. */
  readonly origin: (span: Span) => Span
  /** Where a place of the original is in the view. */
  readonly placeOf: (at: number) => number
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g

/** The text without what colours it. */
export function withoutColour(text: string): TextView {
  return view(text, 0, text.length, ANSI, () => '')
}

/**
 * A part of a text with its escapes read: those of JSON however often they were escaped themselves, those of addresses,
 * and colours written as escapes.
 */
export function unescaped(text: string, { from, to }: Span): TextView {
  return view(text, from, to, ESCAPE, (found) => {
    const code = found[1] ?? found[3]
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
    return found[2] === undefined ? '' : (LETTERS[found[2]] ?? found[2])
  })
}

/** The same with its lines joined; `marked` also drops what a diff, a quotation or a margin puts before a line. */
export function joined(text: string, { from, to }: Span, marked: boolean): TextView {
  return view(text, from, to, marked ? MARKED_BREAK : BREAK, (found) => {
    const code = found[1] ?? found[3]
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
    return found[2] ?? ''
  })
}

/** A whole text with the escapes of addresses read; `undefined` where it has none. */
export function withoutPercents(text: string): TextView | undefined {
  return text.includes('%') && PERCENT.test(text) ? view(text, 0, text.length, PERCENTS, readPercent) : undefined
}

function readPercent(found: RegExpExecArray): string {
  return String.fromCharCode(Number.parseInt(found[1] as string, 16))
}

/** A whole text with the escapes of HTML read; `undefined` where it has none. */
export function withoutEntities(text: string): TextView | undefined {
  return text.includes('&') && ENTITY.test(text) ? view(text, 0, text.length, ENTITIES, readEntity) : undefined
}

function readEntity([whole, name, decimal, hex]: RegExpExecArray): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
  return String.fromCharCode(decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal))
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const ENTITY_SOURCE = '&(?:amp;){0,2}(?:(amp|lt|gt|quot|apos|nbsp)|#(\\d{2,3})|#x([0-9a-f]{2}));'
const ENTITY = new RegExp(ENTITY_SOURCE, 'i')
const ENTITIES = new RegExp(ENTITY_SOURCE, 'gi')

const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
const COLOUR = '(?:\\u001b|\\\\+(?:u001[bB]|x1[bB]|033|e))\\[[0-9;]{0,20}[A-Za-z]'
const ESCAPE = new RegExp(`${COLOUR}|\\\\+u([0-9a-fA-F]{4})|\\\\+([nrtbf"'/$\`])|%(?:25){0,3}([0-9a-fA-F]{2})`, 'g')
const BREAKS = (mark: string) =>
  new RegExp(
    `${COLOUR}|(?:\\r?\\n|\\\\+n)[ \\t]{0,12}${mark}|\\\\+u([0-9a-fA-F]{4})|\\\\+(["'/])|%(?:25){0,3}([0-9a-fA-F]{2})`,
    'g',
  )
const BREAK = BREAKS('')
const MARKED_BREAK = BREAKS('[+>|-]{0,2}[ \\t]{0,4}')
const PERCENT = /%[0-9a-fA-F]{2}/
const PERCENTS = /%(?:25){0,3}([0-9a-fA-F]{2})/g

/** Replaces every match between `from` and `to`; what stays is told by pieces, each with its way back. */
function view(
  text: string,
  from: number,
  to: number,
  pattern: RegExp,
  replace: (found: RegExpExecArray) => string,
): TextView {
  const part = text.slice(from, to)
  const pieces: Piece[] = []
  let made = ''
  let last = 0
  for (const found of part.matchAll(pattern)) {
    const kept = part.slice(last, found.index)
    if (kept !== '') pieces.push({ at: made.length, origin: from + last, length: kept.length, taken: kept.length })
    made += kept
    const put = replace(found)
    if (put !== '')
      pieces.push({ at: made.length, origin: from + found.index, length: put.length, taken: found[0].length })
    made += put
    last = found.index + found[0].length
  }
  const kept = part.slice(last)
  pieces.push({ at: made.length, origin: from + last, length: kept.length, taken: kept.length })
  made += kept
  return ofPieces(made, pieces)
}

/** A stretch of a view: where it stands there and in the original, and how long it is in each. */
interface Piece {
  readonly at: number
  readonly origin: number
  readonly length: number
  readonly taken: number
}

/** Some stretches of a text as one text. */
export function stretches(text: string, spans: readonly Span[]): TextView {
  let made = ''
  const pieces = spans.map(({ from, to }) => {
    const at = made.length
    made += text.slice(from, to)
    return { at, origin: from, length: to - from, taken: to - from }
  })
  return ofPieces(made, pieces)
}

function ofPieces(made: string, pieces: readonly Piece[]): TextView {
  const pieceAt = (at: number) => {
    let low = 0
    for (let high = pieces.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1
      if ((pieces[middle]?.at ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return pieces[low] as Piece
  }
  return {
    text: made,
    origin(span) {
      const first = pieceAt(span.from)
      const end = pieceAt(span.to - 1)
      const begin = first.length === first.taken ? first.origin + span.from - first.at : first.origin
      const close = end.length === end.taken ? end.origin + span.to - end.at : end.origin + end.taken
      return { from: begin, to: close }
    },
    placeOf(at) {
      const piece = pieces.findLast(({ origin }) => origin <= at)
      if (!piece) return 0
      const into = at - piece.origin
      // What was decoded has no inside.
      if (piece.length !== piece.taken) return piece.at + (into < piece.taken ? 0 : piece.length)
      return piece.at + Math.min(into, piece.length)
    },
  }
}
