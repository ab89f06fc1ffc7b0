import type { Finding } from '../redact/finding.ts'
import type { Redactor } from '../redact/redactor.ts'

/** A redactor that counts what it masks. */
export interface CountedRedactor extends Redactor {
  /** How often each kind was masked, the most frequent first. */
  counts(): Record<string, number>
}

/** Counts what a redactor masks. */
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
      const redacted = redactor.value(value)
      count(redacted.found)
      return redacted
    },
    counts: () => Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))),
  }
}
