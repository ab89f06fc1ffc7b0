import type { JsonValue } from '../../core/json.ts'
import { isObject } from '../../core/json.ts'
import type { Finding } from '../../redact/finding.ts'
import type { Redactor } from '../../redact/redactor.ts'

/** A redactor that counts what it masks. */
export interface CountedRedactor extends Redactor {
  /** How often each kind was masked, the most frequent first. */
  counts(): Record<string, number>
}

/**
 * Counts what a redactor masks. A key that was cut into the lines of a list, as patches have it, is masked too: no line of
 * it looks like a secret alone.
 */
export function countedRedactor(redactor: Redactor): CountedRedactor {
  const counts = new Map<string, number>()
  const count = (found: readonly Finding[]) => {
    for (const { kind } of found) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const text: Redactor['text'] = (whole) => {
    const redacted = redactor.text(whole)
    count(redacted.found)
    return redacted
  }
  return {
    version: redactor.version,
    scan: redactor.scan,
    text,
    value(value) {
      const redacted = redactor.value(withWholeKeys(value, text, 0))
      count(redacted.found)
      return redacted
    },
    counts: () => Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))),
  }
}

/** Deeper than any row has lists of lines; what nests deeper is masked string by string. */
const MOST_LEVELS = 100

function withWholeKeys(value: JsonValue, mask: Redactor['text'], level: number): JsonValue {
  if (typeof value !== 'object' || value === null || level > MOST_LEVELS) return value
  if (isObject(value)) {
    let isChanged = false
    const fields = Object.entries(value).map(([name, field]) => {
      const made = field === undefined ? field : withWholeKeys(field, mask, level + 1)
      isChanged ||= made !== field
      return [name, made] as const
    })
    return isChanged ? Object.fromEntries(fields) : value
  }
  if (value.length > 1 && value.every((line) => typeof line === 'string')) {
    return value.some((line) => line.includes('PRIVATE KEY')) ? mask(value.join('\n')).text.split('\n') : value
  }
  const made = value.map((one) => withWholeKeys(one, mask, level + 1))
  return made.some((one, at) => one !== value[at]) ? made : value
}
