/**
 * A time as clients write it, in UTC, so that times compare as text; `undefined` for what is none. A wrong one would put a
 * session in the wrong year.
 */
export function timeOf(text: string): string | undefined {
  if (PLAIN.test(text)) return text
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/.test(text)) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  return text.length === 24 && text.endsWith('Z') ? text : new Date(comparable(ms)).toISOString()
}

/** The nearest moment whose year has four digits: the text of any other would sort before or after all the wrong ones. */
export function comparable(ms: number): number {
  return Math.min(Math.max(ms, FIRST_MS), LAST_MS)
}

const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Times as clients write them, on days that every month has: nearly all. */
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
