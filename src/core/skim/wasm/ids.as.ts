import { readString, Text } from './strings.as'
import { isNull, QUOTE, Walk } from './walk.as'

/** Reads a string without escapes, or null: whether it was a string. */
export function readPlain(): bool {
  if (load<u8>(Walk.p) != QUOTE) {
    if (!isNull()) Walk.bad = true
    return false
  }
  readString()
  if (Text.escaped) Walk.bad = true
  return !Walk.bad
}

/** Reads an id and stores its place. */
export function readPlace(into: usize): void {
  if (!readPlain()) return
  store<u32>(into, <u32>Text.at)
  store<i32>(into, Text.length, 4)
}

/** Reads a uuid as clients write it and stores its sixteen bytes: whether there was one. Any other is left to the parser. */
export function readUuid(into: usize): bool {
  if (!readPlain()) return false
  const at = Text.at
  const isDashed = load<u8>(at, 8) == 0x2d && load<u8>(at, 13) == 0x2d && load<u8>(at, 18) == 0x2d && load<u8>(at, 23) == 0x2d
  if (Text.length != 36 || !isDashed) {
    Walk.bad = true
    return false
  }
  const a = v128.load(at)
  const b = v128.load(at, 16)
  const c = v128.load(at, 19)
  const d = v128.load(at, 20)
  const first = v128.shuffle<u8>(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17)
  const second = v128.shuffle<u8>(c, d, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 31)
  v128.store(into, v128.narrow<u16>(packed(first), packed(second)))
  return !Walk.bad
}

/** Sixteen hexadecimal digits as eight lanes of one byte each. Only small letters: others would come back as these. */
// @ts-ignore
@inline
function packed(v: v128): v128 {
  const digit = i8x16.sub(v, i8x16.splat(0x30))
  const letter = i8x16.sub(v, i8x16.splat(0x61))
  const isDigit = i8x16.lt_u(digit, i8x16.splat(10))
  const isLetter = i8x16.lt_u(letter, i8x16.splat(6))
  if (!i8x16.all_true(v128.or(isDigit, isLetter))) Walk.bad = true
  const halves = v128.bitselect(digit, i8x16.add(letter, i8x16.splat(10)), isDigit)
  return v128.and(v128.or(i16x8.shl(halves, 4), i16x8.shr_u(halves, 8)), i16x8.splat(0xff))
}

/** The hash of the string that was read last: what `textKey` of `core/facts/row-key.ts` gives of it, as it is all ASCII. */
export function textKey(): f64 {
  let a: u32 = 0x811c9dc5
  let b: u32 = 0x9e3779b9
  const end = Text.at + <usize>Text.length
  for (let at = Text.at; at < end; at++) {
    const code = <u32>load<u8>(at)
    a = (a ^ code) * 0x01000193
    b = ((b + code) * 0x85ebca6b) ^ (b >> 13)
  }
  return <f64>(a ^ (a >> 16)) * 2097152 + <f64>((b ^ (b >> 15)) >> 11)
}

/** Reads a time as clients write it (`2026-11-15T08:00:00.000Z`, 1970 on) as milliseconds; NaN for none. */
export function readTime(): f64 {
  if (!readPlain()) return NaN
  const at = Text.at
  const isShaped =
    Text.length == 24 &&
    load<u8>(at, 4) == 0x2d &&
    load<u8>(at, 7) == 0x2d &&
    load<u8>(at, 10) == 0x54 &&
    load<u8>(at, 13) == 0x3a &&
    load<u8>(at, 16) == 0x3a &&
    load<u8>(at, 19) == 0x2e &&
    load<u8>(at, 23) == 0x5a
  if (!isShaped) {
    Walk.bad = true
    return NaN
  }
  const year = twoDigits(at) * 100 + twoDigits(at + 2)
  const month = twoDigits(at + 5)
  const day = twoDigits(at + 8)
  const hour = twoDigits(at + 11)
  const minute = twoDigits(at + 14)
  const second = twoDigits(at + 17)
  const ms = twoDigits(at + 20) * 10 + oneDigit(at + 22)
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
  if (year < 1970 || !isDay || hour > 23 || minute > 59 || second > 59) Walk.bad = true
  return <f64>daysSince1970(year, month, day) * 86400000 + <f64>(hour * 3600000 + minute * 60000 + second * 1000 + ms)
}

// @ts-ignore
@inline
function oneDigit(at: usize): i32 {
  const digit = <u32>load<u8>(at) - 0x30
  if (digit > 9) Walk.bad = true
  return digit
}

// @ts-ignore
@inline
function twoDigits(at: usize): i32 {
  return oneDigit(at) * 10 + oneDigit(at + 1)
}

function daysIn(year: i32, month: i32): i32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
}

/** Counted in years that begin in March, so that the leap day is the last. */
function daysSince1970(year: i32, month: i32, day: i32): i32 {
  const y = month <= 2 ? year - 1 : year
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  return 365 * y + y / 4 - y / 100 + y / 400 + dayOfYear - 719468
}
