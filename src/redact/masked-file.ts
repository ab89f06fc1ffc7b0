import { isUtf8 } from 'node:buffer'
import { isObject, parseRewritable } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import type { Redactor } from './redactor.ts'

/** A file without its secrets: logs line by line, JSON by its values, the rest as text; `undefined` where they cannot be masked. */
export function maskedFile(bytes: Buffer, path: string, redactor: Redactor): Buffer | undefined {
  if (path.endsWith('.jsonl')) return maskedLines(bytes, redactor)
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8')
    const clean = maskedText(text, path, redactor)
    return clean === text ? bytes : Buffer.from(clean)
  }
  const clean = maskedBytes(bytes, redactor)
  return hidesSecrets(clean, redactor) ? undefined : clean
}

/** A text without secrets; JSON by its values, so that it stays JSON. */
export function maskedText(text: string, path: string, redactor: Redactor | undefined): string {
  if (!redactor) return text
  const value = path.endsWith('.json') ? parseRewritable(text) : undefined
  if (value === undefined || value === null) return redactor.text(text).text
  const clean = redactor.value(value).value
  return clean === value ? text : typeof clean === 'object' && clean !== null ? jsonText(clean) : JSON.stringify(clean)
}

/** One character per byte, so that what is not masked stays as it was. */
export function maskedBytes(bytes: Buffer, redactor: Redactor | undefined): Buffer {
  if (!redactor) return bytes
  const text = bytes.toString('latin1')
  const clean = redactor.text(text).text
  return clean === text ? bytes : Buffer.from(clean, 'latin1')
}

/** Whether there are secrets in UTF-16, as some editors write. */
export function hidesSecrets(bytes: Buffer, redactor: Redactor | undefined): boolean {
  if (!redactor || !bytes.includes(0)) return false
  return redactor.scan(bytes.toString('latin1').replaceAll('\0', '')).length > 0
}

/** Every line stays a line; one without secrets stays as it is, byte for byte. */
function maskedLines(bytes: Buffer, redactor: Redactor): Buffer {
  const pieces: Buffer[] = []
  let isChanged = false
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(10, from)
    const end = newline === -1 ? bytes.length : newline
    const line = bytes.subarray(from, end)
    const clean = maskedLine(line, redactor)
    isChanged ||= clean !== line
    pieces.push(clean, bytes.subarray(end, newline === -1 ? end : end + 1))
    from = newline === -1 ? bytes.length : newline + 1
  }
  return isChanged ? Buffer.concat(pieces) : bytes
}

function maskedLine(line: Buffer, redactor: Redactor): Buffer {
  const raw = isUtf8(line) ? parseRewritable(line.toString('utf8')) : undefined
  if (!isObject(raw)) return maskedBytes(line, redactor)
  const { value } = redactor.value(raw)
  return value === raw ? line : Buffer.from(isObject(value) ? jsonText(value) : '')
}
