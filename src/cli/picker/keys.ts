import type { LineEdit } from './line.ts'

/** What a key asks for. Letters are always text: only control keys act. */
export type Key = { readonly kind: 'text'; readonly text: string } | { readonly kind: NamedKey }

type NamedKey = LineEdit | Moving | Acting | 'tab' | 'escape' | 'help'
type Moving = 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end' | 'first' | 'last'
/** `end-of-input` is ^D: it deletes, or where there is nothing to delete it ends. */
type Acting = 'enter' | Doing | 'redraw' | 'end-of-input' | 'quit'
type Doing = 'resume' | 'copy' | 'export' | 'keep' | 'files' | 'web' | 'star' | 'rename'

/** Keys that were read, and what may be the beginning of another one. */
export interface ReadKeys {
  readonly keys: readonly Key[]
  readonly rest: string
}

/**
 * Reads what a terminal sends. `isAll` says that nothing follows for now: an escape that stands alone is then the key
 * itself and not the beginning of a sequence.
 */
export function readKeys(input: string, { isAll = false } = {}): ReadKeys {
  const keys: Key[] = []
  let at = 0
  while (at < input.length) {
    const text = takeText(input, at)
    if (text.end > at) {
      keys.push({ kind: 'text', text: text.value })
      at = text.end
      continue
    }
    const read = input[at] === ESC ? readSequence(input, at, isAll) : readControl(input, at)
    if (!read) break
    if (read.key) keys.push(read.key)
    at = read.end
  }
  return { keys, rest: input.slice(at) }
}

interface ReadKey {
  readonly key: Key | undefined
  readonly end: number
}

const ESC = '\u001b'
const PASTE = `${ESC}[200~`
const PASTE_END = `${ESC}[201~`
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what keys send.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g

function takeText(input: string, from: number): { readonly value: string; readonly end: number } {
  CONTROL.lastIndex = from
  const end = CONTROL.exec(input)?.index ?? input.length
  return { value: input.slice(from, end), end }
}

const CONTROLS: Readonly<Record<string, NamedKey>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
  '\u0001': 'line-start',
  '\u0002': 'web',
  '\u0003': 'quit',
  '\u0004': 'end-of-input',
  '\u0005': 'line-end',
  '\u0006': 'files',
  '\u000b': 'cut-right',
  '\u000c': 'redraw',
  '\u000e': 'down',
  '\u000f': 'rename',
  '\u0010': 'up',
  '\u0012': 'resume',
  '\u0013': 'keep',
  '\u0014': 'star',
  '\u0015': 'cut-left',
  '\u0017': 'cut-word',
  '\u0018': 'export',
  '\u0019': 'copy',
}

/** What Alt and a key send: an escape before it. */
const ALTS: Readonly<Record<string, NamedKey>> = {
  b: 'word-left',
  f: 'word-right',
  d: 'cut-word-right',
  y: 'paste',
  '<': 'first',
  '>': 'last',
  '\b': 'cut-word-left',
  '\u007f': 'cut-word-left',
}

function readControl(input: string, at: number): ReadKey {
  return { key: keyOf(CONTROLS[input[at] as string]), end: at + 1 }
}

/** What comes after an escape: a paste, a sequence of a special key, or nothing. `undefined` where more must come first. */
function readSequence(input: string, at: number, isAll: boolean): ReadKey | undefined {
  if (input.startsWith(PASTE, at)) return readPaste(input, at)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape begins every sequence.
  const sequence = /^\u001b(?:\[[0-?]*[ -/]*([@-~])|O([@-~]))/.exec(input.slice(at, at + LONGEST))
  if (sequence) return { key: specialKey(sequence[0], sequence[1] ?? sequence[2] ?? ''), end: at + sequence[0].length }
  const next = input[at + 1]
  const isBegun = next === undefined || next === '[' || next === 'O'
  if (isBegun && !isAll && input.length - at < LONGEST) return undefined
  if (next === undefined || next === ESC) return { key: { kind: 'escape' }, end: at + 1 }
  // A sequence that makes no sense is not meant for us.
  return isBegun ? { key: undefined, end: input.length } : { key: keyOf(ALTS[next]), end: at + 2 }
}

const LONGEST = 64

function readPaste(input: string, at: number): ReadKey | undefined {
  const end = input.indexOf(PASTE_END, at)
  if (end === -1) return undefined
  const text = input
    .slice(at + PASTE.length, end)
    .replace(/\s+/g, ' ')
    .replace(CONTROL, '')
  return { key: { kind: 'text', text }, end: end + PASTE_END.length }
}

const FINALS: Readonly<Record<string, NamedKey>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  M: 'enter',
  P: 'help',
  Q: 'rename',
  Z: 'tab',
}
const NUMBERED: Readonly<Record<string, NamedKey>> = {
  '1': 'home',
  '3': 'delete',
  '4': 'end',
  '5': 'page-up',
  '6': 'page-down',
  '7': 'home',
  '8': 'end',
  '11': 'help',
  '12': 'rename',
}
/** With Ctrl or Alt held, which terminals tell as a second number. */
const MODIFIED: Readonly<Partial<Record<NamedKey, NamedKey>>> = {
  left: 'word-left',
  right: 'word-right',
  delete: 'cut-word-right',
  home: 'first',
  end: 'last',
}

function specialKey(sequence: string, final: string): Key | undefined {
  const [first = '', modifiers = '1'] = sequence.match(/\d+/g) ?? []
  const kind = final === '~' ? NUMBERED[first] : FINALS[final]
  // One more than the sum of Shift 1, Alt 2 and Ctrl 4.
  const isModified = ((Number(modifiers) - 1) & 6) !== 0
  return keyOf((isModified && kind && MODIFIED[kind]) || kind)
}

function keyOf(kind: NamedKey | undefined): Key | undefined {
  return kind && { kind }
}
