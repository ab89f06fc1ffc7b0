/**
 * A time as clients write it, in UTC, so that times compare as text; `undefined` for what is none. A wrong one would put a
 * session in the wrong year.
 */
export function timeOf(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/.test(text)) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  return text.length === 24 && text.endsWith('Z') ? text : new Date(ms).toISOString()
}
