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

/**
 * `Date.toISOString` for years of four digits, several times as fast for moments of one hour, as the rows of a log mostly are. A text of
 * two pieces: V8 keeps the pieces that a text was joined of, and of every row of a log these weighed more than all else.
 */
export function isoText(ms: number): string {
  const hour = Math.floor(ms / HOUR_MS)
  if (hour !== recent.hour) recent = { hour, text: new Date(ms).toISOString().slice(0, 14) }
  const rest = ms - hour * HOUR_MS
  const seconds = Math.floor(rest / 1000)
  // Joined first: texts of up to twelve characters are copied into one.
  const inHour = `${MINUTES[Math.floor(seconds / 60)]}${SECONDS[seconds % 60]}${MILLISECONDS[rest % 1000]}`
  return `${recent.text}${inHour}`
}

const HOUR_MS = 3_600_000
let recent: { readonly hour: number; readonly text: string } = { hour: Number.NaN, text: '' }
const SECONDS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
const MINUTES = SECONDS.map((digits) => `${digits}:`)
const MILLISECONDS = Array.from({ length: 1000 }, (_, n) => `.${String(n).padStart(3, '0')}Z`)

/** The nearest moment whose year has four digits: the text of any other would sort before or after all the wrong ones. */
export function comparable(ms: number): number {
  return Math.min(Math.max(ms, FIRST_MS), LAST_MS)
}

const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Times as clients write them, on days that every month has: nearly all. */
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
