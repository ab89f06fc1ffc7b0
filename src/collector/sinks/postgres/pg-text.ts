import { isUtf8 } from 'node:buffer'

/** A text as PostgreSQL can hold it: without NUL, and without halves of a character. */
export function cleanText(text: string): string {
  return UNHELD.test(text) ? Buffer.from(text.replaceAll('\0', '\ufffd')).toString() : text
}

const UNHELD = /[\0\ud800-\udfff]/

/** A list as PostgreSQL writes it. */
export function listOf(values: readonly (string | number)[]): string {
  const items = values.map((value) => `"${cleanText(String(value)).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)
  return `{${items.join(',')}}`
}

/** A number, a text or nothing as it stands in a statement, whatever it holds. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return `E'${cleanText(String(value)).replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** Plain data as JSON that PostgreSQL takes. */
export function cleanJson(value: object): string {
  const text = JSON.stringify(value)
  if (!/\\u(0000|d[89a-f])/.test(text)) return text
  return JSON.stringify(value, (_, one) => (typeof one === 'string' ? cleanText(one) : one))
}

/**
 * Bytes as a parameter: the driver writes those of a statement as text. Contents mostly are text, and go as it; what no text can hold
 * goes as digits, twice as long.
 */
export function bytesParameter(pieces: readonly Uint8Array[]): { readonly text: string } | { readonly hex: string } {
  const bytes = Buffer.concat(pieces)
  return isUtf8(bytes) && !bytes.includes(0) ? { text: bytes.toString() } : { hex: `\\x${bytes.toString('hex')}` }
}
