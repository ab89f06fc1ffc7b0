/** The text of the sixteen bytes at an offset. Made in one call: joined from pairs it takes three times as long, for every row. */
export function uuidText(bytes: Uint8Array, from: number): string {
  const high = (i: number) => HEX[(bytes[from + i] as number) >> 4] as number
  const low = (i: number) => HEX[(bytes[from + i] as number) & 15] as number
  // biome-ignore format: a uuid by its groups
  return String.fromCharCode(
    high(0), low(0), high(1), low(1), high(2), low(2), high(3), low(3), DASH,
    high(4), low(4), high(5), low(5), DASH,
    high(6), low(6), high(7), low(7), DASH,
    high(8), low(8), high(9), low(9), DASH,
    high(10), low(10), high(11), low(11), high(12), low(12), high(13), low(13), high(14), low(14), high(15), low(15),
  )
}

const HEX = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
const DASH = 0x2d
