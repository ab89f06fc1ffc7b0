import { textKey } from '../core/facts/row-key.ts'
import { crc32 } from '../disk/checksums.ts'

/** By what copies of one message are known. */
export interface Identity {
  /** Of an assistant's row: resumes of old clients keep only this. */
  readonly messageId: string | undefined
  readonly uuid: string | undefined
  /** Its searched text, in UTF-8. */
  readonly text: Uint8Array
}

/** A number that copies of one message share. It is negative for rows without an id: these are copies only within their log. */
export function copyKey({ messageId, uuid, text }: Identity): number {
  if (messageId !== undefined) return textKey(`${messageId}\0${crc32(text)}`)
  return uuid === undefined ? -1 - crc32(text) : textKey(uuid)
}

/** The same for rows of any log: a client writes one title again and again, and two sessions may have the same. */
export function copyKeyIn(log: number, copy: number): number {
  return copy < 0 ? textKey(`${log}\0${copy}`) : copy
}
