/** So many bytes say what a uuid says in 36 letters. */
export const UUID_BYTES = 16

/** Whether a text is a uuid as clients write it, so that its sixteen bytes give back the very same text. */
export function isUuid(text: string): boolean {
  if (text.length !== 36) return false
  for (let i = 0; i < 36; i++) {
    const code = text.charCodeAt(i)
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (code !== DASH) return false
    } else if (digitOf(code) === -1) return false
  }
  return true
}

/** One of its bytes. */
export function uuidByte(uuid: string, i: number): number {
  const at = PLACES[i] as number
  return (digitOf(uuid.charCodeAt(at)) << 4) | digitOf(uuid.charCodeAt(at + 1))
}

/** The text of sixteen bytes. */
export function uuidText(byteAt: (i: number) => number): string {
  let text = ''
  for (let i = 0; i < UUID_BYTES; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += '-'
    text += PAIRS[byteAt(i)] as string
  }
  return text
}

const DASH = 0x2d

/** Only small letters: the others would come back as these. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1
}

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
