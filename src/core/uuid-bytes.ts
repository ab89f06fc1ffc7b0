/** So many bytes say what a uuid says in 36 letters. */
export const UUID_BYTES = 16

/** The text of sixteen bytes. */
export function uuidText(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < UUID_BYTES; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += '-'
    text += PAIRS[bytes[i] as number] as string
  }
  return text
}

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
