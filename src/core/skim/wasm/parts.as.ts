import {
  CJK,
  DIGIT,
  JOINT,
  LETTER,
  LONGEST_IDENTIFIER,
  LOWER,
  MARK,
  ODD,
  SEPARATOR,
  UPPER,
} from '../../search/word-kinds'
import { fold, KINDS, kindAt, NO_FOLD } from './characters.as'
import { codeAt, widthOf, writeUtf8 } from './decode.as'
import { hashOf } from './names.as'

/** `NEXT` of `core/words`, which the caller writes here. */
const NEXT: usize = memory.data(256)
/** Set in the kind of a decimal digit beyond the first plane, which is no `DIGIT`. */
const IS_FAR_DIGIT: u32 = 16

/** Where the caller writes `NEXT`. */
export function partTables(): usize {
  return NEXT
}

class Parts {
  static out: usize = 0
  static limit: usize = 0
  static groups: i32 = 0
  static isFirst: bool = true
  static isLeft: bool = false
}

/** The `parts` column for a text of UTF-8, as `partsOf` of `core/words` defines it. Gives its length; -1 where that has to do it. */
export function parts(from: usize, length: i32, out: usize, room: i32): i32 {
  Parts.out = out
  Parts.limit = out + room
  Parts.groups = 0
  Parts.isLeft = false
  forgetWords()
  const end = from + length
  let at = from
  let word: usize = 0
  let state: u32 = SEPARATOR
  while (at < end) {
    const c: u32 = load<u8>(at)
    const before = state
    state = load<u8>(NEXT + (state << 4) + (c < 0x80 ? load<u8>(KINDS + c) : kindAt(at) & 15))
    if (before == SEPARATOR) word = at
    at += widthOf(c)
    if (state != JOINT) continue
    at = wordEnd(at, end)
    if (isNew(word, at)) addGroup(word, at)
    if (Parts.isLeft) return -1
    state = SEPARATOR
  }
  return <i32>(Parts.out - out)
}

function wordEnd(from: usize, end: usize): usize {
  let at = from
  while (at < end && (kindAt(at) & 15) != SEPARATOR) at += widthOf(load<u8>(at))
  return at
}

/** Words that have been met in this text, by hash and place. */
const SLOTS = 16384
const MAX_WORDS = 8192
const SEEN: usize = memory.data(16384 * 16, 4)
let era: u32 = 0
let words = 0

function forgetWords(): void {
  words = 0
  // After so many texts the numbers begin again, and old entries would look new.
  if (++era == 0) {
    memory.fill(SEEN, 0, SLOTS * 16)
    era = 1
  }
}

function isNew(from: usize, to: usize): bool {
  const length = <i32>(to - from)
  const hash = hashOf(from, length)
  let i = hash & (SLOTS - 1)
  while (true) {
    const slot = SEEN + (<usize>i << 4)
    if (load<u32>(slot, 4) != era) {
      if (++words > MAX_WORDS) Parts.isLeft = true
      store<u32>(slot, hash)
      store<u32>(slot, era, 4)
      store<u32>(slot, <u32>from, 8)
      store<i32>(slot, length, 12)
      return true
    }
    const isSame = load<u32>(slot) == hash && load<i32>(slot, 12) == length
    if (isSame && memory.compare(load<u32>(slot, 8), from, length) == 0) return false
    i = (i + 1) & (SLOTS - 1)
  }
}

/** The characters of one word: their codes, kinds, and the count of UTF-16 units before each. */
const MAX_CHARACTERS = 4096
const CODES: usize = memory.data(4097 * 4, 4)
const OWN_KINDS: usize = memory.data(4097)
const UNITS: usize = memory.data(4097 * 4, 4)

// @ts-ignore
@inline
function code(i: i32): u32 {
  return load<u32>(CODES + (<usize>i << 2))
}

// @ts-ignore
@inline
function kind(i: i32): u32 {
  return load<u8>(OWN_KINDS + i) & 15
}

// @ts-ignore
@inline
function units(from: i32, to: i32): i32 {
  return load<i32>(UNITS + (<usize>to << 2)) - load<i32>(UNITS + (<usize>from << 2))
}

function readWord(from: usize, to: usize): i32 {
  let count = 0
  let length = 0
  let at = from
  while (at < to) {
    if (count == MAX_CHARACTERS) {
      Parts.isLeft = true
      return 0
    }
    const c = codeAt(at)
    store<u32>(CODES + (<usize>count << 2), c)
    store<u8>(OWN_KINDS + count, <u8>kindAt(at))
    store<i32>(UNITS + (<usize>count << 2), length)
    length += c > 0xffff ? 2 : 1
    at += widthOf(load<u8>(at))
    count++
  }
  store<i32>(UNITS + (<usize>count << 2), length)
  return count
}

/** The parts of one word, with the mark between groups before them, unless it has none. */
function addGroup(from: usize, to: usize): void {
  const count = readWord(from, to)
  const before = Parts.out
  if (Parts.limit - before < <usize>count * MOST_BYTES + 8) Parts.isLeft = true
  if (Parts.isLeft) return
  if (Parts.groups > 0) {
    // ' \ue000 ', as between the groups of `core/words`.
    store<u8>(before, 0x20)
    store<u8>(writeUtf8(before + 1, 0xe000), 0x20)
    Parts.out = before + 5
  }
  Parts.isFirst = true
  addRuns(count)
  if (Parts.isFirst) Parts.out = before
  else Parts.groups++
}

/** A character is written at most three times (its run, its hump or two pairs), in four bytes, with a space for each. */
const MOST_BYTES: usize = 16

/** Cuts the word where CJK and other letters meet; symbols belong to no run. */
function addRuns(count: i32): void {
  let from = 0
  let running: u32 = 0
  for (let i = 0; i <= count; i++) {
    let next: u32 = 0
    if (i < count) {
      const k = kind(i)
      next = k == MARK ? running : k == CJK || k == ODD ? k : LETTER
      if (next == running) continue
    }
    if (running == CJK) addPairs(from, i)
    else if (running == LETTER) addLetters(from, i, from == 0 && i == count)
    from = i
    running = next
  }
}

/** Each character of CJK with the next one, and the last one alone. */
function addPairs(from: i32, to: i32): void {
  let start = from
  while (start < to) {
    const second = afterMarks(start + 1, to)
    addPart(start, second < to ? afterMarks(second + 1, to) : to, true)
    start = second
  }
}

function afterMarks(from: i32, to: i32): i32 {
  let i = from
  while (i < to && kind(i) == MARK) i++
  return i
}

function addLetters(from: i32, to: i32, isWhole: bool): void {
  if (!isWhole) addPart(from, to, true)
  const isLong = units(from, to) > LONGEST_IDENTIFIER
  if (!isLong && findCuts(from, to) && countHumps() > 1) {
    for (let i = 0; i < cuts; i++) addHump(cutAt(i), cutAt(i + 1))
  }
}

/** Where the humps of a run begin, and the end of the last. */
const CUTS: usize = memory.data(130 * 4, 4)
let cuts = 0

// @ts-ignore
@inline
function cutAt(i: i32): i32 {
  return load<i32>(CUTS + (<usize>i << 2))
}

function addCut(at: i32): void {
  store<i32>(CUTS + (<usize>cuts << 2), at)
  cuts++
}

/** Random letters look like very many very short humps: of these there are none. */
function findCuts(from: i32, to: i32): bool {
  cuts = 0
  addCut(from)
  let before: u32 = 0
  let beforeAt = from
  for (let i = from; i < to; i++) {
    const k = kind(i)
    if (k == MARK) continue
    if (k == UPPER && before != 0 && before != UPPER) addCut(i)
    // The last of several upper-case letters begins the next hump: HTTP|Server.
    else if (k == LOWER && before == UPPER && beforeAt > cutAt(cuts - 1)) addCut(beforeAt)
    before = k
    beforeAt = i
  }
  store<i32>(CUTS + (<usize>cuts << 2), to)
  return cuts <= 4 || cuts * 3 <= units(from, to)
}

function countHumps(): i32 {
  let count = cuts
  for (let i = 0; i < cuts; i++) if (numberIn(cutAt(i), cutAt(i + 1)) != cutAt(i + 1)) count++
  return count
}

function addHump(from: i32, to: i32): void {
  const number = numberIn(from, to)
  addPart(from, number, true)
  if (number != to) addPart(number, to, false)
}

/** Where the number at the end of a hump begins; the end if it is no part of its own: `server2` is `server 2`, `mp3` is one thing. */
function numberIn(from: i32, to: i32): i32 {
  let at = to
  while (at > from && kind(at - 1) == DIGIT) at--
  if (at == to || units(from, at) < 3) return to
  for (let i = from; i < at; i++) {
    if (kind(i) == DIGIT || (load<u8>(OWN_KINDS + i) & IS_FAR_DIGIT) != 0) return to
  }
  return at
}

function addPart(from: i32, to: i32, isFolded: bool): void {
  let out = Parts.out
  if (!Parts.isFirst) store<u8>(out++, 0x20)
  Parts.isFirst = false
  for (let i = from; i < to; i++) {
    const c = isFolded ? fold(code(i)) : code(i)
    if (c != NO_FOLD) out = writeUtf8(out, c)
  }
  Parts.out = out
}
