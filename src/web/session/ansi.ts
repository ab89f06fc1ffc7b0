import { visible } from './visible.ts'

/** A run of text in one look. */
export interface AnsiSpan {
  readonly text: string
  /** Class names, or nothing for plain text. */
  readonly className: string
}

/**
 * The lines of a terminal's output with their colours as classes. Of all escape sequences only colours have an effect;
 * links, titles, cursor moves and whatever else are dropped. Linear time, never throws.
 */
export function ansiLines(output: string): readonly (readonly AnsiSpan[])[] {
  const lines: AnsiSpan[][] = []
  let look = PLAIN
  for (const line of output.replaceAll('\r\n', '\n').split('\n')) {
    const spans: AnsiSpan[] = []
    let from = 0
    for (const match of line.matchAll(SEQUENCE)) {
      push(spans, line.slice(from, match.index), look)
      if (match[1] !== undefined) look = applied(look, match[1])
      else if (match[0] === '\r' && match.index < line.length - 1) spans.length = 0
      from = match.index + match[0].length
    }
    push(spans, line.slice(from), look)
    lines.push(spans)
  }
  return lines
}

/** The same without any colour. */
export function withoutAnsi(output: string): string {
  return output.includes('\u001b') || output.includes('\u009b') ? output.replace(SEQUENCE, '') : output
}

// A control string ends at any control, so that no sequence can hide a line; the bounds keep matching linear.
const PAYLOAD = '[^\\u0000-\\u001f\\u007f-\\u009f]{0,4096}'
const ST = '(?:\\u001b\\\\|\\u009c)'

/** Escape sequences, whole; the first group holds the numbers of a colour. A lone CR begins the line anew. */
const SEQUENCE = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)([0-9:;]{0,256})m',
    '(?:\\u001b\\[|\\u009b)[0-?]{0,256}[ -/]{0,16}[@-~]',
    `(?:\\u001b\\]|\\u009d)${PAYLOAD}(?:\\u0007|${ST})`,
    `(?:\\u001b[PX^_]|[\\u0090\\u0098\\u009e\\u009f])${PAYLOAD}${ST}`,
    '\\u001b[ -/]{0,16}[0-OQ-WYZ\\\\`-~]',
    '[\\r\\u0007\\u0008]',
  ].join('|'),
  'g',
)

interface Look {
  readonly fore: number | null
  readonly back: number | null
  readonly marks: readonly string[]
}

const PLAIN: Look = { fore: null, back: null, marks: [] }

function push(spans: AnsiSpan[], text: string, look: Look): void {
  if (text === '') return
  const className = classOf(look)
  const last = spans.at(-1)
  const shown = visible(text)
  if (last?.className === className) spans[spans.length - 1] = { text: last.text + shown, className }
  else spans.push({ text: shown, className })
}

function classOf({ fore, back, marks }: Look): string {
  return [
    ...(fore === null ? [] : [FORE[fore % 8]]),
    ...(back === null ? [] : [BACK[back % 8]]),
    ...marks.filter((mark) => mark !== 'text-muted' || fore === null),
  ].join(' ')
}

// Written out, so that the style sheet is made with them. Bright ones look as the others do: the theme sees to contrast.
const FORE = [
  'text-ansi-black',
  'text-ansi-red',
  'text-ansi-green',
  'text-ansi-yellow',
  'text-ansi-blue',
  'text-ansi-magenta',
  'text-ansi-cyan',
  'text-ansi-white',
]
const BACK = [
  'bg-line',
  'bg-ansi-red/15',
  'bg-ansi-green/15',
  'bg-ansi-yellow/15',
  'bg-ansi-blue/15',
  'bg-ansi-magenta/15',
  'bg-ansi-cyan/15',
  'bg-line',
]

const MARKS: ReadonlyMap<number, string> = new Map([
  [1, 'font-bold'],
  [2, 'text-muted'],
  [3, 'italic'],
  [4, 'underline'],
  [7, 'bg-line'],
  [9, 'line-through'],
])
const ENDS: ReadonlyMap<number, readonly string[]> = new Map([
  [22, ['font-bold', 'text-muted']],
  [23, ['italic']],
  [24, ['underline']],
  [27, ['bg-line']],
  [29, ['line-through']],
])

function applied(look: Look, numbers: string): Look {
  const codes = numbers.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)))
  let next = look
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number
    const mark = MARKS.get(code)
    const ended = ENDS.get(code)
    if (code === 0) next = PLAIN
    else if (mark) next = { ...next, marks: next.marks.includes(mark) ? next.marks : [...next.marks, mark] }
    else if (ended) next = { ...next, marks: next.marks.filter((one) => !ended.includes(one)) }
    else if (code >= 30 && code <= 37) next = { ...next, fore: code - 30 }
    else if (code >= 90 && code <= 97) next = { ...next, fore: code - 82 }
    else if (code >= 40 && code <= 47) next = { ...next, back: code - 40 }
    else if (code >= 100 && code <= 107) next = { ...next, back: code - 92 }
    else if (code === 39) next = { ...next, fore: null }
    else if (code === 49) next = { ...next, back: null }
    else if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(i + 1, i + 6))
      i += used
      if (colour !== null) next = code === 38 ? { ...next, fore: colour } : { ...next, back: colour }
    }
  }
  return next
}

/** A colour of 256 or of 24 bits as the nearest of the 16 that the theme has, and how many numbers told it. */
function extended([form, ...rest]: readonly number[]): readonly [colour: number | null, used: number] {
  const [first = 0, second = 0, third = 0] = rest
  if (form === 2) return [nearest(first, second, third), 4]
  if (form !== 5) return [null, 1]
  if (first < 16) return [first, 2]
  if (first > 255) return [null, 2]
  if (first >= 232) return [nearest(...grey((first - 232) * 10 + 8)), 2]
  const step = (n: number) => (n === 0 ? 0 : n * 40 + 55)
  const cube = first - 16
  return [nearest(step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)), 2]
}

function grey(level: number): [number, number, number] {
  return [level, level, level]
}

const SIXTEEN: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [190, 0, 0],
  [0, 160, 0],
  [170, 120, 0],
  [0, 0, 200],
  [170, 0, 170],
  [0, 150, 160],
  [190, 190, 190],
  [110, 110, 110],
  [255, 80, 80],
  [80, 230, 80],
  [250, 230, 80],
  [90, 130, 255],
  [255, 100, 255],
  [90, 235, 235],
  [255, 255, 255],
]

function nearest(red: number, green: number, blue: number): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  SIXTEEN.forEach(([r, g, b], at) => {
    const apart = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2
    if (apart < least) [best, least] = [at, apart]
  })
  return best
}
