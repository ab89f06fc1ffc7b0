import {
  CJK,
  DIGIT,
  FIRST_UPPER,
  JOINT,
  LETTER,
  LONGEST_IDENTIFIER,
  LOWER,
  MARK,
  ODD,
  SEPARATOR,
  UPPER,
} from './word-kinds.ts'

/**
 * Words as the index sees them. SQLite's `unicode61` takes letters, numbers and private characters for words, with the
 * accents that stand on them; here are the same words, and the parts that it cannot see: humps and CJK.
 */

/** A part of a word: where it stands, and how it is written in the index. */
export interface Part {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * What goes into the `parts` column for a text: the humps of its identifiers and its CJK as pairs of characters, each such
 * word once. Words that `unicode61` finds by itself are left out.
 */
export function partsOf(text: string): string {
  const seen = new Set<string>()
  const groups: string[] = []
  let at = 0
  while (true) {
    const joint = nextJoint(text, at)
    if (joint === text.length) return groups.join(BETWEEN_WORDS)
    let from = joint
    while (from > at && kindAt(text, from - 1) !== SEPARATOR) from--
    const word = nextWord(text, from)
    at = Math.max(joint + 1, word?.to ?? 0)
    if (!word || word.isPlain) continue
    const own = text.slice(word.from, word.to)
    if (seen.has(own)) continue
    seen.add(own)
    const parts = partsIn(own)
    if (parts.length > 0) groups.push(parts.map((part) => part.text).join(' '))
  }
}

/** A private character that nobody looks for: no phrase runs from the parts of one word into those of the next. */
const BETWEEN_WORDS = ' \ue000 '

/** A word of a text. A plain one has no parts of its own. */
export interface Word {
  readonly from: number
  readonly to: number
  readonly isPlain: boolean
}

/** The first word at or after a place. */
export function nextWord(text: string, at: number): Word | undefined {
  let from = at
  let kind = SEPARATOR
  while (from < text.length) {
    kind = kindAt(text, from)
    if (kind !== SEPARATOR && kind !== MARK) break
    from++
  }
  if (from >= text.length) return undefined
  let isPlain = kind < CJK
  let before = kind === UPPER ? FIRST_UPPER : kind
  let to = from + 1
  for (; to < text.length; to++) {
    kind = kindAt(text, to)
    if (kind === SEPARATOR) break
    if (kind === MARK) continue
    if (NEXT[before * 16 + kind] === JOINT) isPlain = false
    before = kind
  }
  return { from, to, isPlain }
}

/**
 * The next place where a word may have parts. This loop sees every character of every log, so it does no more than look
 * two things up.
 */
function nextJoint(text: string, from: number): number {
  const kinds = knownKinds()
  let state = SEPARATOR
  for (let at = from; at < text.length; at++) {
    state = NEXT[state * 16 + (kinds[text.charCodeAt(at)] as number)] as number
    if (state === JOINT) return at
  }
  return text.length
}

/** What a character of a kind makes of the kind before it. Kinds that are not looked up yet (0) are looked at closely. */
export const NEXT: Uint8Array = new Uint8Array(256).fill(JOINT)
for (const before of [SEPARATOR, LOWER, UPPER, DIGIT, LETTER, FIRST_UPPER]) {
  for (const kind of [SEPARATOR, LOWER, UPPER, DIGIT, LETTER]) NEXT[before * 16 + kind] = kind
  NEXT[before * 16 + MARK] = before
}
NEXT[SEPARATOR * 16 + UPPER] = FIRST_UPPER
for (const letter of [LOWER, LETTER, DIGIT]) NEXT[letter * 16 + UPPER] = JOINT
for (const letter of [LOWER, LETTER, UPPER, FIRST_UPPER]) NEXT[letter * 16 + DIGIT] = JOINT
NEXT[UPPER * 16 + LOWER] = JOINT

/**
 * The parts of one word; none for a plain one. A CJK run gives its pairs and its last character alone. With `open`, as a
 * query needs it, the end of the word need not be the end of the word in the text: the last run does not end there.
 */
export function partsIn(word: string, { open = false } = {}): readonly Part[] {
  const runs = runsOf(word)
  const parts: Part[] = []
  runs.forEach(({ from, to, isCjk }, i) => {
    const isOpen = open && i === runs.length - 1
    if (isCjk) {
      addPairs(word, from, to, isOpen, parts)
      return
    }
    const humps = humpsOf(word, from, to)
    const isWhole = from === 0 && to === word.length
    if (!isWhole) parts.push({ from, to, text: foldWord(word.slice(from, to)) })
    if (humps.length > 1 && (isWhole || !isOpen)) parts.push(...humps)
  })
  return parts
}

interface Run {
  readonly from: number
  readonly to: number
  readonly isCjk: boolean
}

/** A word cut where CJK and other letters meet; symbols belong to no run. */
function runsOf(word: string): readonly Run[] {
  const runs: Run[] = []
  let from = 0
  let running = 0
  const close = (to: number) => {
    if (running !== 0 && running !== ODD) runs.push({ from, to, isCjk: running === CJK })
  }
  for (let at = 0; at < word.length; at++) {
    const kind = kindAt(word, at)
    const next = kind === MARK ? running : kind === CJK || kind === ODD ? kind : LETTER
    if (next === running) continue
    close(at)
    from = at
    running = next
  }
  close(word.length)
  return runs
}

function addPairs(word: string, from: number, to: number, isOpen: boolean, parts: Part[]): void {
  const starts: number[] = []
  for (let at = from; at < to; at++) if (kindAt(word, at) !== MARK) starts.push(at)
  const last = starts.length - 1
  starts.forEach((start, i) => {
    if (i === last && isOpen && last > 0) return
    const stop = starts[i + 2] ?? to
    parts.push({ from: start, to: stop, text: foldWord(word.slice(start, stop)) })
  })
}

function humpsOf(word: string, from: number, to: number): readonly Part[] {
  if (to - from > LONGEST_IDENTIFIER) return []
  const cuts: number[] = [from]
  let before = 0
  let beforeAt = from
  for (let at = from; at < to; at++) {
    const kind = kindAt(word, at)
    if (kind === MARK) continue
    if (kind === UPPER && before !== 0 && before !== UPPER) cuts.push(at)
    // The last of several upper-case letters begins the next hump: HTTP|Server.
    else if (kind === LOWER && before === UPPER && beforeAt > (cuts.at(-1) as number)) cuts.push(beforeAt)
    before = kind
    beforeAt = at
  }
  // Random letters look like very many very short humps.
  if (cuts.length > 4 && cuts.length * 3 > to - from) return []
  return cuts.flatMap((start, i) => splitNumber(word, start, cuts[i + 1] ?? to))
}

/** `server2` is `server 2`; what has fewer letters before its number (`mp3`, `x86`) is one thing. */
function splitNumber(word: string, from: number, to: number): readonly Part[] {
  let at = to
  while (at > from && kindAt(word, at - 1) === DIGIT) at--
  const letters = word.slice(from, at)
  if (at === to || at - from < 3 || /\p{Nd}/u.test(letters)) return [{ from, to, text: foldWord(word.slice(from, to)) }]
  return [
    { from, to: at, text: foldWord(letters) },
    { from: at, to, text: word.slice(at, to) },
  ]
}

/** A word in the index's spelling: lower case, and Latin letters without their accents. */
export function foldWord(word: string): string {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) > 0x7f) return foldCharacters(word)
  return word.toLowerCase()
}

function foldCharacters(word: string): string {
  let folded = ''
  for (const character of word) folded += foldCharacter(character)
  return folded
}

/** One character in the index's spelling: one again, or nothing. */
export function foldCharacter(character: string): string {
  const code = character.codePointAt(0) as number
  if (isAccent(code)) return ''
  const base = character.normalize('NFD').charCodeAt(0)
  if (base < 0x80) return String.fromCharCode(base).toLowerCase()
  if (!isFolded(code)) return character
  // Upper case first, so that ς and σ, ſ and s become one.
  const upper = character.toUpperCase()
  return (upper.length === character.length ? upper : character).toLowerCase()
}

/** Letters whose case SQLite's table knows; it leaves the Turkish ı as it is. */
function isFolded(code: number): boolean {
  const isGlagoliticOrLatin = code >= 0x2c00 && code <= 0x2cff
  const isWideOrDeseret = (code >= 0xff21 && code <= 0xff5a) || (code >= 0x10400 && code <= 0x1044f)
  return (code < 0x528 && code !== 0x131) || (code >= 0x1e00 && code < 0x2200) || isGlagoliticOrLatin || isWideOrDeseret
}

/** Kinds of the UTF-16 units that have been met; 0 is not yet looked up. */
let metKinds: Uint8Array | undefined

/** Made when first used: the patterns behind it take longer to compile than many a command to run. */
function knownKinds(): Uint8Array {
  if (metKinds) return metKinds
  metKinds = new Uint8Array(0x10000)
  for (let code = 0; code < 0x80; code++) metKinds[code] = kindOf(String.fromCharCode(code))
  return metKinds
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return knownKinds()[code] || lookUp(text, at, code)
}

function lookUp(text: string, at: number, code: number): number {
  if (code >= 0xdc00 && code <= 0xdfff) return isHighHalf(text.charCodeAt(at - 1)) ? MARK : SEPARATOR
  // A pair stands for itself; half a pair reaches SQLite as U+FFFD.
  if (isHighHalf(code)) return kindOf(String.fromCodePoint(text.codePointAt(at) as number))
  const kind = kindOf(text.charAt(at))
  knownKinds()[code] = kind
  return kind
}

function isHighHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

/** What a character is to a word: one of the kinds. */
export function kindOf(character: string): number {
  const code = character.codePointAt(0) as number
  if (isAccent(code)) return MARK
  if (/^\p{Cn}$/u.test(character)) return ODD
  if (!/^[\p{L}\p{N}\p{Co}]$/u.test(character)) return isNewerSymbol(code) ? ODD : SEPARATOR
  if (/^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]$/u.test(character)) return CJK
  if (/^\p{Ll}$/u.test(character)) return LOWER
  if (/^[\p{Lu}\p{Lt}]$/u.test(character)) return UPPER
  return /^\p{Nd}$/u.test(character) && code <= 0xffff ? DIGIT : LETTER
}

/** The combining accents that `unicode61` takes for a part of the letter before them. */
function isAccent(code: number): boolean {
  if (code < 0x300 || code > 0x331) return false
  return code < 0x320 ? (0x08029fdf & (1 << (code - 0x300))) !== 0 : (0x000361f8 & (1 << (code - 0x320))) !== 0
}

/** Symbols of which some came after the table that SQLite uses: emoji and currencies for the most part. */
function isNewerSymbol(code: number): boolean {
  if (code < 0x20ba) return false
  return code <= 0x20cf || (code >= 0x23f4 && code <= 0x23ff) || (code >= 0x2b4d && code <= 0x2bff) || code > 0xffff
}

/** Whether a word says anything beside symbols. */
export function hasLetters(word: string): boolean {
  return runsOf(word).length > 0
}

/** Whether a word holds characters of a script that is written without spaces. */
export function hasCjk(word: string): boolean {
  return runsOf(word).some((run) => run.isCjk)
}
