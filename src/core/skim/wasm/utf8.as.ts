/** Whether bytes are UTF-8, by the same rules as the decoder's: no overlong forms, no halves of pairs, nothing beyond U+10FFFF. */
export function isUtf8(from: usize, to: usize): bool {
  let at = from
  while (at < to) {
    // The bytes behind the end may be anything: the loop below looks at them one by one.
    if (at + 16 <= to && i8x16.bitmask(v128.load(at)) == 0) {
      at += 16
      continue
    }
    const a: u32 = load<u8>(at)
    if (a < 0x80) {
      at++
      continue
    }
    const width: usize = a >= 0xf0 ? 4 : a >= 0xe0 ? 3 : 2
    if (a < 0xc2 || a > 0xf4 || at + width > to) return false
    const b: u32 = load<u8>(at, 1)
    const least: u32 = a == 0xe0 ? 0xa0 : a == 0xf0 ? 0x90 : 0x80
    const most: u32 = a == 0xed ? 0x9f : a == 0xf4 ? 0x8f : 0xbf
    if (b < least || b > most) return false
    if (width > 2 && !isFollowing(load<u8>(at, 2))) return false
    if (width > 3 && !isFollowing(load<u8>(at, 3))) return false
    at += width
  }
  return true
}

// @ts-ignore
@inline
function isFollowing(c: u32): bool {
  return (c & 0xc0) == 0x80
}
