import { MAX_DEPTH } from '../layout'
import { skipString } from './strings.as'
import { CLOSE, CLOSE_ARRAY, COLON, COMMA, FALS, isNull, NULL, OPEN, OPEN_ARRAY, QUOTE, TRUE, Walk } from './walk.as'

/** Passes a value of any kind, with the whole grammar of JSON: what is wrong in it makes the line not plain. */
export function skipValue(): void {
  const c = load<u8>(Walk.p)
  if (c == QUOTE) {
    Walk.p++
    skipString()
  } else if (c == OPEN || c == OPEN_ARRAY) skipContainer()
  else skipScalar()
}

/** Passes a key and its colon. */
export function skipKey(): void {
  if (load<u8>(Walk.p) != QUOTE) {
    Walk.bad = true
    return
  }
  Walk.p++
  skipString()
  if (load<u8>(Walk.p) != COLON) Walk.bad = true
  else Walk.p++
}

function skipContainer(): void {
  // One bit for each open bracket: 1 is an object.
  let open: u64 = 0
  let depth = 0
  while (true) {
    let c = load<u8>(Walk.p)
    if (c == QUOTE) {
      Walk.p++
      skipString()
    } else if (c == OPEN || c == OPEN_ARRAY) {
      if (++depth > MAX_DEPTH) Walk.bad = true
      if (Walk.bad) return
      Walk.p++
      const isEmpty = load<u8>(Walk.p) == (c == OPEN ? CLOSE : CLOSE_ARRAY)
      open = (open << 1) | u64(c == OPEN)
      if (!isEmpty) {
        if (c == OPEN) skipKey()
        if (Walk.bad) return
        continue
      }
      Walk.p++
      open >>= 1
      depth--
    } else skipScalar()
    if (Walk.bad) return
    while (true) {
      if (depth == 0) return
      c = load<u8>(Walk.p)
      if (c == COMMA) {
        Walk.p++
        if ((open & 1) != 0) skipKey()
        if (Walk.bad) return
        break
      }
      if (c != ((open & 1) != 0 ? CLOSE : CLOSE_ARRAY)) {
        Walk.bad = true
        return
      }
      Walk.p++
      open >>= 1
      depth--
    }
  }
}

/** Passes a number, true, false or null. */
export function skipScalar(): void {
  const from = Walk.p
  let at = from
  while (isScalar(load<u8>(at))) at++
  const length = at - from
  const word = load<u32>(from)
  Walk.p = at
  if (length == 4 && (word == NULL || word == TRUE)) return
  if (length == 5 && word == FALS && load<u8>(from, 4) == 0x65) return
  if (!isNumber(from, at)) Walk.bad = true
}

// @ts-ignore
@inline
function isScalar(c: u32): bool {
  return isDigit(c) || c - 0x61 <= 25 || c == 0x2d || c == 0x2b || c == 0x2e || c == 0x45
}

// @ts-ignore
@inline
function isDigit(c: u32): bool {
  return c - 0x30 <= 9
}

function isNumber(from: usize, to: usize): bool {
  let at = from
  if (load<u8>(at) == 0x2d) at++
  if (load<u8>(at) == 0x30) at++
  else {
    const start = at
    at = digitsEnd(at)
    if (at == start) return false
  }
  if (at < to && load<u8>(at) == 0x2e) {
    const start = ++at
    at = digitsEnd(at)
    if (at == start) return false
  }
  if (at < to && (load<u8>(at) | 0x20) == 0x65) {
    at++
    if (load<u8>(at) == 0x2b || load<u8>(at) == 0x2d) at++
    const start = at
    at = digitsEnd(at)
    if (at == start) return false
  }
  return at == to
}

function digitsEnd(from: usize): usize {
  let at = from
  while (isDigit(load<u8>(at))) at++
  return at
}

/** No response has a trillion tokens; a larger number is left to the parser, and so is whatever is not digits alone. */
const MOST: f64 = 1e12

/** A count of tokens; none for `null`. */
export function readCount(): f64 {
  if (isNull()) return 0
  const from = Walk.p
  let at = from
  let count: f64 = 0
  for (let c: u32 = load<u8>(at); isDigit(c); c = load<u8>(at)) {
    count = count * 10 + <f64>(c - 0x30)
    at++
  }
  const length = at - from
  if (length == 0 || length > 13 || count > MOST || (length > 1 && load<u8>(from) == 0x30)) Walk.bad = true
  Walk.p = at
  return count
}

/** True, or false, which `null` is too. */
export function readBoolean(): bool {
  const word = load<u32>(Walk.p)
  if (word == TRUE) {
    Walk.p += 4
    return true
  }
  if (word == FALS && load<u8>(Walk.p, 4) == 0x65) Walk.p += 5
  else if (!isNull()) Walk.bad = true
  return false
}
