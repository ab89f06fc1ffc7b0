import type * as WideText from './wide-text.ts'

let wideText: typeof WideText | undefined

/** Loads what measures and wraps any text. It takes as long as a whole command, and most text does not need it. */
export async function loadWideText(): Promise<void> {
  wideText ??= await import('./wide-text.ts')
}

/** Runs a pure layout; where it meets text that has to be measured closely, once more after that was loaded. */
export async function laidOut<T>(layout: () => T): Promise<T> {
  if (wideText) return layout()
  isRetried = true
  try {
    return layout()
  } catch (error) {
    if (error !== NOT_LOADED) throw error
  } finally {
    isRetried = false
  }
  await loadWideText()
  return layout()
}

/** Whether a layout runs that `laidOut` runs again. */
let isRetried = false
const NOT_LOADED = new Error('Text is laid out before `loadWideText`.')

/** Outside of `laidOut` nothing can be loaded any more: then columns are estimated, and lines are left to the terminal to wrap. */
function loadedWideText(): Pick<typeof WideText, 'stringWidth' | 'wrapAnsi'> {
  if (!wideText && isRetried) throw NOT_LOADED
  return wideText ?? ESTIMATE
}

const ESTIMATE = {
  stringWidth: (text: string) => {
    const segments = [...graphemesOf(text.replaceAll(ALL_COLOURS, ''))]
    return segments.reduce((sum, { segment }) => sum + (NARROW.test(segment) ? 1 : 2), 0)
  },
  wrapAnsi: (text: string) => text,
}

/** How many columns a line takes: wide characters two, combining marks and colours none, tabs up to their stop. */
export function width(text: string): number {
  return columnsOf(expandTabs(text))
}

/** Most text has only letters of one column, and is not looked at any closer: that takes a hundred times as long. */
function columnsOf(line: string): number {
  if (NARROW.test(line)) return line.length
  const plain = line.includes(ESC) ? line.replaceAll(ALL_COLOURS, '') : line
  return SIMPLE.test(plain) ? plain.length + (plain.match(WIDE)?.length ?? 0) : loadedWideText().stringWidth(line)
}

/** The line cut to so many columns, with `…` where something is gone. Never splits a character, keeps all colours closed. */
export function truncate(text: string, columns: number): string {
  const line = expandTabs(text)
  if (columns < 1) return ''
  if (NARROW.test(line)) return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`
  if (columnsOf(line) <= columns) return line

  let out = ''
  let used = 0
  let cut = 0
  for (const part of line.split(COLOURS)) {
    if (part.startsWith(ESC)) {
      out += part
      continue
    }
    for (const { segment } of graphemesOf(part)) {
      used += columnsOf(segment)
      if (used > columns) return `${out.slice(0, cut)}…${coloursIn(out.slice(cut))}${coloursIn(line.slice(out.length))}`
      out += segment
      if (used < columns) cut = out.length
    }
  }
  return line
}

/** The line with spaces behind it, up to so many columns. */
export function padEnd(text: string, columns: number): string {
  return expandTabs(text) + spaces(columns - width(text))
}

/** The line with spaces before it, up to so many columns. */
export function padStart(text: string, columns: number): string {
  return spaces(columns - width(text)) + expandTabs(text)
}

/** The text as lines of at most so many columns, each behind `indent`. A line's own indentation goes on in its rest. */
export function wrap(text: string, columns: number, indent = ''): string[] {
  const room = Math.max(1, columns - width(indent))
  return expandTabs(text)
    .split('\n')
    .flatMap((line) => wrapLine(line, room))
    .map((line) => (line === '' ? indent.trimEnd() : indent + line))
}

/** Tabs as spaces, so that a line is as wide as it is counted. */
export function expandTabs(text: string): string {
  if (!text.includes('\t')) return text
  return text.split('\n').map(expandLine).join('\n')
}

const ESC = '\u001b'
const COLOURS = new RegExp(`(${ESC}\\[[\\d;]*m)`)
const ALL_COLOURS = new RegExp(COLOURS, 'g')
/** ASCII, other Latin letters, and the quotes, dashes, arrows, signs, marks and lines that texts and tables are drawn with. */
const NARROW =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u203b\u203d-\u2048\u204a-\u205e\u2190-\u2319\u2400-\u25fc\u2713-\u2718]*$/
/** Ideographs, kana and syllables that stand alone, two columns each. */
const WIDE = /[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]/g
const SIMPLE = new RegExp(`^(?:${NARROW.source.slice(1, -2)}|${WIDE.source})*$`)
const TAB_STOP = 4
let graphemes: Intl.Segmenter | undefined

function coloursIn(text: string): string {
  return text
    .split(COLOURS)
    .filter((part) => part.startsWith(ESC))
    .join('')
}

function spaces(count: number): string {
  return ' '.repeat(Math.max(0, count))
}

function wrapLine(line: string, columns: number): string[] {
  // No character is wider than two columns, so this line fits whatever it holds.
  if (line.length * 2 <= columns) return [line.trimEnd()]
  const body = line.trimStart()
  const lead = Math.min(line.length - body.length, Math.floor(columns / 2))
  return loadedWideText()
    .wrapAnsi(body, columns - lead, { hard: true })
    .split('\n')
    .map((row) => (row === '' ? '' : spaces(lead) + row))
}

function expandLine(line: string): string {
  let column = 0
  let out = ''
  const parts = line.split('\t')
  for (const part of parts.slice(0, -1)) {
    const end = column + columnsOf(part)
    column = end + TAB_STOP - (end % TAB_STOP)
    out += part + spaces(column - end)
  }
  return out + parts.at(-1)
}

function graphemesOf(text: string): Iterable<{ readonly segment: string }> {
  graphemes ??= new Intl.Segmenter('en')
  return graphemes.segment(text)
}
