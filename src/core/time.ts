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

/** `Date.toISOString` for years of four digits, several times as fast for moments of one day, as the rows of a log mostly are. */
export function isoText(ms: number): string {
  const minute = Math.floor(ms / MINUTE_MS)
  if (minute !== recent.minute) recent = { minute, text: new Date(ms).toISOString().slice(0, 17) }
  const rest = ms - minute * MINUTE_MS
  // Two pieces: V8 keeps a joined text as the tree it was joined from, and every row of a log has one.
  const seconds = `${TWO_DIGITS[Math.floor(rest / 1000)]}${THREE_DIGITS[rest % 1000]}`
  return `${recent.text}${seconds}`
}

const MINUTE_MS = 60_000
let recent: { readonly minute: number; readonly text: string } = { minute: Number.NaN, text: '' }
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
const THREE_DIGITS = Array.from({ length: 1000 }, (_, n) => `.${String(n).padStart(3, '0')}Z`)

/** The nearest moment whose year has four digits: the text of any other would sort before or after all the wrong ones. */
export function comparable(ms: number): number {
  return Math.min(Math.max(ms, FIRST_MS), LAST_MS)
}

const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Times as clients write them, on days that every month has: nearly all. */
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
