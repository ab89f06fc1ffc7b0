import { isObject, type JsonValue } from '../../../core/json.ts'
import { oneLine } from '../../terminal/sanitize.ts'

/** A JSON value on one plain line, as one would write it by hand. What is nested too deep is only hinted at. */
export function jsonLine(value: JsonValue | undefined, depth = 0): string {
  if (typeof value === 'string') return depth === 0 ? oneLine(value) : `"${oneLine(value)}"`
  if (Array.isArray(value)) {
    return depth >= DEEPEST ? '[…]' : `[${value.map((item) => jsonLine(item, depth + 1)).join(', ')}]`
  }
  if (!isObject(value)) return String(value)
  if (depth >= DEEPEST) return '{…}'
  const fields = Object.entries(value).map(([key, field]) => `${oneLine(key)}: ${jsonLine(field, depth + 1)}`)
  return `{ ${fields.join(', ')} }`
}

const DEEPEST = 6
