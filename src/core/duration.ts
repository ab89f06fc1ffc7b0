const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long something took, in at most two units: `340 ms`, `4.2 s`, `48 min`, `1 h 12 min`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '–'
  const took = Math.max(0, Math.round(ms))
  if (took < SECOND) return `${took} ms`
  if (took < 9950) return `${Number((took / SECOND).toFixed(1))} s`
  const seconds = Math.round(took / SECOND)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 600) return twoUnits(seconds, 60, 'min', 's')
  const minutes = Math.round(took / MINUTE)
  if (minutes < 60) return `${minutes} min`
  if (minutes < 24 * 60) return twoUnits(minutes, 60, 'h', 'min')
  return twoUnits(Math.round(took / HOUR), 24, 'd', 'h')
}

function twoUnits(value: number, per: number, large: string, small: string): string {
  const rest = value % per
  const whole = `${Math.floor(value / per)} ${large}`
  return rest === 0 ? whole : `${whole} ${rest} ${small}`
}
