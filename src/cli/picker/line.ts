/** A line that is being typed: its text, where the cursor stands in it, and what was cut out of it last. */
export interface Line {
  readonly text: string
  /** Between two characters as people see them, counted in UTF-16 units. */
  readonly cursor: number
  readonly cut: string
}

/** What can be done to a line, beside typing into it; the keys are those of a shell. */
export type LineEdit = (typeof EDITS)[number]

const EDITS = [
  'left',
  'right',
  'word-left',
  'word-right',
  'line-start',
  'line-end',
  'backspace',
  'delete',
  'cut-word',
  'cut-word-left',
  'cut-word-right',
  'cut-left',
  'cut-right',
  'paste',
] as const

/** Whether a key edits the line that is typed. */
export function isLineEdit(kind: string): kind is LineEdit {
  return (EDITS as readonly string[]).includes(kind)
}

/** A line with nothing in it. */
export const EMPTY_LINE: Line = { text: '', cursor: 0, cut: '' }

/** The longest line that is of use to anyone; a pasted file is not. */
const LONGEST = 400

/** The line after some text was typed at its cursor. */
export function insert({ text, cursor, cut }: Line, typed: string): Line {
  const before = text.slice(0, cursor) + typed
  // No space begins a line: nothing stands before it that it could part from.
  const start = before.trimStart()
  const whole = start === '' ? text.slice(cursor).trimStart() : start + text.slice(cursor)
  return whole.length > LONGEST && whole.length > text.length
    ? { text: whole.slice(0, LONGEST), cursor: Math.min(start.length, LONGEST), cut }
    : { text: whole, cursor: start.length, cut }
}

/** The line after an edit. */
export function edit(line: Line, how: LineEdit): Line {
  const { text, cursor, cut } = line
  switch (how) {
    case 'left':
      return { ...line, cursor: characterLeft(text, cursor) }
    case 'right':
      return { ...line, cursor: characterRight(text, cursor) }
    case 'word-left':
      return { ...line, cursor: wordLeft(text, cursor) }
    case 'word-right':
      return { ...line, cursor: wordRight(text, cursor) }
    case 'line-start':
      return { ...line, cursor: 0 }
    case 'line-end':
      return { ...line, cursor: text.length }
    case 'backspace':
      return without(line, characterLeft(text, cursor), cursor)
    case 'delete':
      return without(line, cursor, characterRight(text, cursor))
    case 'cut-word':
      return cutOut(line, text.slice(0, cursor).replace(/\S*\s*$/u, '').length, cursor)
    case 'cut-word-left':
      return cutOut(line, wordLeft(text, cursor), cursor)
    case 'cut-word-right':
      return cutOut(line, cursor, wordRight(text, cursor))
    case 'cut-left':
      return cutOut(line, 0, cursor)
    case 'cut-right':
      return cutOut(line, cursor, text.length)
    case 'paste':
      return insert(line, cut)
  }
}

function without({ text, cut }: Line, from: number, to: number): Line {
  const rest = text.slice(0, from) + text.slice(to)
  const lead = rest.length - rest.trimStart().length
  return { text: rest.slice(lead), cursor: Math.max(0, from - lead), cut }
}

/** What is cut out can be pasted; an edit that cuts nothing leaves what was cut before. */
function cutOut(line: Line, from: number, to: number): Line {
  return from === to ? line : { ...without(line, from, to), cut: line.text.slice(from, to) }
}

function characterLeft(text: string, cursor: number): number {
  return [...characters().segment(text.slice(0, cursor))].at(-1)?.index ?? 0
}

function characterRight(text: string, cursor: number): number {
  const [first] = characters().segment(text.slice(cursor))
  return cursor + (first?.segment.length ?? 0)
}

/** Words are letters and digits; what stands between them is passed over first. */
function wordLeft(text: string, cursor: number): number {
  return text.slice(0, cursor).replace(/[\p{L}\p{N}\p{M}_]*[^\p{L}\p{N}\p{M}_]*$/u, '').length
}

function wordRight(text: string, cursor: number): number {
  const passed = /^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]*/u.exec(text.slice(cursor))
  return cursor + (passed?.[0].length ?? 0)
}

let segmenter: Intl.Segmenter | undefined

function characters(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en')
  return segmenter
}
