/** The start of a session: so many days ago at a time of day (UTC), or, with `-hh:mm`, that long ago. */
export type StartOf = (daysAgo: number, time: string) => string

const DAY = 86_400_000

/** Tells the demo's times by the time at which it is written. */
export function startsBefore(now: Date): StartOf {
  return (daysAgo, time) => {
    const [hours = 0, minutes = 0] = time.replace('-', '').split(':').map(Number)
    const span = (hours * 60 + minutes) * 60_000
    if (time.startsWith('-'))
      return new Date(now.getTime() - daysAgo * DAY - Math.min(span, sinceMidnight(now))).toISOString()
    const day = Math.floor(now.getTime() / DAY) - daysAgo
    return new Date(day * DAY + span).toISOString()
  }
}

/** What is called today lies in today, also for whoever looks at the demo in the small hours. */
function sinceMidnight(now: Date): number {
  return now.getTime() - new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
}
