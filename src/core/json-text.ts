import { Failure } from './failure.ts'
import { cutDeep } from './json-depth.ts'

/**
 * A result as JSON: what `--json` prints and the server sends. What a terminal would obey or not show (C1, DEL, bidi, zero
 * width, separators, tags) is escaped; parsed, the values are the same.
 */
export function resultText(value: object): string {
  return jsonText(value).replace(UNSEEN, escaped)
}

// `JSON.stringify` itself escapes C0 controls and lone surrogates.
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}

/** A value as JSON. Never fails for depth. */
export function jsonText(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    if (/string length/i.test(error.message)) {
      const hint = 'Ask for less: --limit, --since, or one session.'
      throw new Failure('CANNOT_RUN', 'The result is too large for one JSON object.', { hint })
    }
    return JSON.stringify(cutDeep(value))
  }
}
