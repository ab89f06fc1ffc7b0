import { BACKSLASH, QUOTE, Walk } from './walk.as'

/** Writes the string in which the walk stands, behind its quote, as UTF-8 to a place and gives the end of what it wrote. */
export function decodeString(to: usize): usize {
  const quote = i8x16.splat(QUOTE)
  const slash = i8x16.splat(BACKSLASH)
  let from = Walk.p
  let out = to
  while (true) {
    const v = v128.load(from)
    v128.store(out, v)
    const stop = i8x16.bitmask(v128.or(i8x16.eq(v, quote), i8x16.eq(v, slash)))
    if (stop == 0) {
      from += 16
      out += 16
      continue
    }
    const length = <usize>ctz(stop)
    from += length
    out += length
    if (load<u8>(from) == QUOTE) {
      Walk.p = from + 1
      return out
    }
    const c = load<u8>(from, 1)
    from += 2
    if (c == 0x75) {
      let code = fourHex(from)
      from += 4
      if (isHighHalf(code) && load<u16>(from) == ESCAPED_U && isLowHalf(fourHex(from + 2))) {
        code = 0x10000 + ((code - 0xd800) << 10) + (fourHex(from + 2) - 0xdc00)
        from += 6
      }
      out = writeCode(out, code)
    } else store<u8>(out++, unescaped(c))
  }
}

/** How long the JSON string at an address is as UTF-8, its quotes aside; -1 where it has an escape by number. */
export function decodedLength(at: usize, length: i32): i32 {
  const slash = i8x16.splat(BACKSLASH)
  const end = at + <usize>length - 1
  let from = at + 1
  let bytes = length - 2
  while (true) {
    const stop = i8x16.bitmask(i8x16.eq(v128.load(from), slash))
    from += stop == 0 ? 16 : <usize>ctz(stop)
    if (from >= end) return bytes
    if (stop == 0) continue
    if (load<u8>(from, 1) == 0x75) return -1
    bytes -= 1
    from += 2
  }
}

/** A backslash and a `u`. */
const ESCAPED_U: u16 = 0x755c

// @ts-ignore
@inline
function unescaped(c: u8): u8 {
  if (c == 0x6e) return 0x0a
  if (c == 0x74) return 0x09
  if (c == 0x72) return 0x0d
  if (c == 0x62) return 0x08
  if (c == 0x66) return 0x0c
  return c
}

function fourHex(at: usize): u32 {
  let code: u32 = 0
  for (let i: usize = 0; i < 4; i++) {
    const c: u32 = load<u8>(at + i)
    code = (code << 4) | (c <= 0x39 ? c - 0x30 : (c | 0x20) - 0x57)
  }
  return code
}

// @ts-ignore
@inline
function isHighHalf(code: u32): bool {
  return code - 0xd800 < 0x400
}

// @ts-ignore
@inline
function isLowHalf(code: u32): bool {
  return code - 0xdc00 < 0x400
}

/** Writes a character and gives the end of it. Half a pair is U+FFFD, and NUL a newline: it would end the text in the index. */
function writeCode(out: usize, code: u32): usize {
  if (code == 0) return writeUtf8(out, 0x0a)
  return writeUtf8(out, code - 0xd800 < 0x800 ? 0xfffd : code)
}

/** Writes a character as UTF-8 and gives the end of it. */
export function writeUtf8(out: usize, code: u32): usize {
  if (code < 0x80) {
    store<u8>(out, <u8>code)
    return out + 1
  }
  if (code < 0x800) {
    store<u8>(out, <u8>(0xc0 | (code >> 6)))
    store<u8>(out, <u8>(0x80 | (code & 63)), 1)
    return out + 2
  }
  if (code < 0x10000) {
    store<u8>(out, <u8>(0xe0 | (code >> 12)))
    store<u8>(out, <u8>(0x80 | ((code >> 6) & 63)), 1)
    store<u8>(out, <u8>(0x80 | (code & 63)), 2)
    return out + 3
  }
  store<u8>(out, <u8>(0xf0 | (code >> 18)))
  store<u8>(out, <u8>(0x80 | ((code >> 12) & 63)), 1)
  store<u8>(out, <u8>(0x80 | ((code >> 6) & 63)), 2)
  store<u8>(out, <u8>(0x80 | (code & 63)), 3)
  return out + 4
}

/** The character at a place that holds UTF-8. */
export function codeAt(at: usize): u32 {
  const a: u32 = load<u8>(at)
  if (a < 0x80) return a
  const b: u32 = load<u8>(at, 1) & 63
  if (a < 0xe0) return ((a & 31) << 6) | b
  const c: u32 = load<u8>(at, 2) & 63
  if (a < 0xf0) return ((a & 15) << 12) | (b << 6) | c
  return ((a & 7) << 18) | (b << 12) | (c << 6) | (<u32>load<u8>(at, 3) & 63)
}

/** How many bytes the character has that begins with this one. */
// @ts-ignore
@inline
export function widthOf(c: u32): usize {
  return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4
}

/** So many characters of base64 in a row are a picture, an archive or a key, and no word. */
const BLOB: usize = 512

/** Puts a newline in the place of each long run of base64 and gives the new end. Such a run covers a multiple of its least length. */
export function withoutBlobs(start: usize, end: usize): usize {
  let done = start
  let out = start
  for (let at = start + BLOB - 1; at < end; at += BLOB) {
    if (at < done || !isBase64(load<u8>(at))) continue
    let from = at
    while (from > done && isBase64(load<u8>(from - 1))) from--
    let to = at + 1
    while (to < end && isBase64(load<u8>(to))) to++
    if (to - from < BLOB) continue
    memory.copy(out, done, from - done)
    out += from - done
    store<u8>(out++, 0x0a)
    done = to
  }
  if (done == start) return end
  memory.copy(out, done, end - done)
  return out + (end - done)
}

// @ts-ignore
@inline
function isBase64(c: u32): bool {
  return (c | 0x20) - 0x61 < 26 || c - 0x30 < 10 || c == 0x2b || c == 0x2f || c == 0x3d
}

/** Whether a text has nothing but what JavaScript trims. */
export function isAllBlank(from: usize, to: usize): bool {
  let at = from
  while (at < to) {
    const c: u32 = load<u8>(at)
    if (!isBlank(codeAt(at))) return false
    at += widthOf(c)
  }
  return true
}

function isBlank(code: u32): bool {
  if (code < 0x80) return code == 0x20 || code - 9 < 5
  if (code == 0xa0 || code == 0x1680 || code == 0x3000 || code == 0xfeff) return true
  return code - 0x2000 < 11 || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f
}
