import { Failure } from './failure.ts'
import { isObject } from './json.ts'

/** How deep a value is written when it is deeper than `JSON.stringify` can go. */
const MOST_LEVELS = 512

/** A result as JSON: what `--json` prints and the server sends. Never fails for depth. */
export function jsonText(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    if (/string length/i.test(error.message)) {
      const hint = 'Ask for less: --limit, --since, or one session.'
      throw new Failure('CANNOT_RUN', 'The result is too large for one JSON object.', { hint })
    }
    return JSON.stringify(capped(value, 0))
  }
}

function capped(value: unknown, level: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (level > MOST_LEVELS) return '…'
  if (Array.isArray(value)) return value.map((item) => capped(item, level + 1))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, capped(item, level + 1)]))
}
