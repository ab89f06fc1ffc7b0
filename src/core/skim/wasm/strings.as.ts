import { BACKSLASH, QUOTE, Walk } from './walk.as'

/** The string that `readString` passed last: its bytes between the quotes, and whether escapes are among them. */
export class Text {
  static at: usize = 0
  static length: i32 = 0
  static escaped: bool = false
}

/** Reads the string whose opening quote is here. */
export function readString(): void {
  const quote = i8x16.splat(QUOTE)
  const slash = i8x16.splat(BACKSLASH)
  const space = i8x16.splat(0x20)
  const from = Walk.p + 1
  let at = from
  let high = 0
  while (true) {
    const v = v128.load(at)
    const stop = i8x16.bitmask(v128.or(v128.or(i8x16.eq(v, quote), i8x16.eq(v, slash)), i8x16.lt_u(v, space)))
    high |= i8x16.bitmask(v)
    if (stop != 0) {
      at += <usize>ctz(stop)
      break
    }
    at += 16
  }
  Walk.high |= high
  Text.at = from
  Text.escaped = false
  const c = load<u8>(at)
  if (c == QUOTE) Walk.p = at + 1
  else if (c == BACKSLASH) {
    Text.escaped = true
    Walk.p = from
    skipString()
  } else Walk.bad = true
  Text.length = <i32>(Walk.p - 1 - from)
}

/**
 * Passes a string; the walk stands behind its opening quote. Every escape is checked, so that what passes here passes the parser.
 * Nearly all strings end in their first 16 bytes.
 */
// @ts-ignore
@inline
export function skipString(): void {
  const v = v128.load(Walk.p)
  const quotes = i8x16.bitmask(i8x16.eq(v, i8x16.splat(QUOTE)))
  if (quotes != 0) {
    const length = ctz(quotes)
    const odd = i8x16.bitmask(v128.or(i8x16.eq(v, i8x16.splat(BACKSLASH)), i8x16.lt_u(v, i8x16.splat(0x20))))
    if ((odd & ((1 << length) - 1)) == 0) {
      Walk.high |= i8x16.bitmask(v)
      Walk.p += <usize>length + 1
      return
    }
  }
  skipLongString()
}

// @ts-ignore
@inline
function mask64(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u32>(i8x16.bitmask(a) | (i8x16.bitmask(b) << 16))
  const high = <u32>(i8x16.bitmask(c) | (i8x16.bitmask(d) << 16))
  return <u64>low | (<u64>high << 32)
}

/** Bytes that may stand behind a backslash: `"`, `/`, `\`, b, f, n, r, t, u. Each has a bit for its high half and one for its low. */
// @ts-ignore
@inline
function mayBeEscaped(v: v128): v128 {
  const high = i8x16.swizzle(i8x16(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0), i8x16.shr_u(v, 4))
  const low = i8x16.swizzle(i8x16(0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1), v128.and(v, i8x16.splat(15)))
  return i8x16.ne(v128.and(high, low), i8x16.splat(0))
}

/** 64 bytes at a time, without a branch for each escape: which bytes are escaped follows from the odd runs of backslashes. */
function skipLongString(): void {
  const quote = i8x16.splat(QUOTE)
  const space = i8x16.splat(0x20)
  const slash = i8x16.splat(BACKSLASH)
  const u = i8x16.splat(0x75)
  const ODD_BITS: u64 = 0xaaaaaaaaaaaaaaaa
  let at = Walk.p
  let carry: u64 = 0
  let high = i8x16.splat(0)
  while (true) {
    const a = v128.load(at)
    const b = v128.load(at, 16)
    const c = v128.load(at, 32)
    const d = v128.load(at, 48)
    high = v128.or(high, v128.or(v128.or(a, b), v128.or(c, d)))
    const slashes = mask64(i8x16.eq(a, slash), i8x16.eq(b, slash), i8x16.eq(c, slash), i8x16.eq(d, slash))
    let stop = mask64(
      v128.or(i8x16.eq(a, quote), i8x16.lt_u(a, space)),
      v128.or(i8x16.eq(b, quote), i8x16.lt_u(b, space)),
      v128.or(i8x16.eq(c, quote), i8x16.lt_u(c, space)),
      v128.or(i8x16.eq(d, quote), i8x16.lt_u(d, space)),
    )
    let wrong: u64 = 0
    if ((slashes | carry) != 0) {
      const starts = slashes & ~carry
      const codes = (((starts << 1) | ODD_BITS) - starts) ^ ODD_BITS
      const escaped = codes ^ (slashes | carry)
      carry = (codes & slashes) >> 63
      wrong = escaped & ~mask64(mayBeEscaped(a), mayBeEscaped(b), mayBeEscaped(c), mayBeEscaped(d))
      stop = (stop & ~escaped) | wrong
      let digits = escaped & mask64(i8x16.eq(a, u), i8x16.eq(b, u), i8x16.eq(c, u), i8x16.eq(d, u))
      if (stop != 0) digits &= (stop & (0 - stop)) - 1
      while (digits != 0) {
        if (!isFourHex(at + <usize>ctz(digits) + 1)) {
          Walk.bad = true
          return
        }
        digits &= digits - 1
      }
    }
    if (stop != 0) {
      const first = stop & (0 - stop)
      at += <usize>ctz(stop)
      if ((wrong & first) != 0 || load<u8>(at) != QUOTE) Walk.bad = true
      else Walk.p = at + 1
      Walk.high |= i8x16.bitmask(high)
      return
    }
    at += 64
  }
}

function isFourHex(at: usize): bool {
  return isHex(load<u8>(at)) && isHex(load<u8>(at, 1)) && isHex(load<u8>(at, 2)) && isHex(load<u8>(at, 3))
}

// @ts-ignore
@inline
function isHex(c: u32): bool {
  return c - 0x30 <= 9 || (c | 0x20) - 0x61 <= 5
}
