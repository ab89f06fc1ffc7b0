import { objectAt, textAt } from '../core/json.ts'
import type { LogRecord } from '../core/record.ts'

/**
 * A number that copies of one message share: forks keep the uuid of a row, resumes of old clients only the message id. Rows
 * that have neither are known by their log and what they say: a client writes a title again and again.
 */
export function copyKey(record: LogRecord, text: string): number {
  const { raw, place } = record
  const messageId = record.type === 'assistant' ? textAt(objectAt(raw, 'message'), 'id') : undefined
  const uuid = textAt(raw, 'uuid')
  if (messageId !== undefined) return hash53(`${messageId}\0${text}`)
  return hash53(uuid ?? `${place.file}\0${text}`)
}

/** A hash of 53 bits, so that it stays a safe integer. */
function hash53(text: string): number {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}
