import { useEffect, useState } from 'react'
import { ageText, momentText } from './words.ts'

/** A moment as a person says it, in local time; the whole of it, in ISO, on hover. */
export function Time(props: {
  readonly iso: string | null | undefined
  /** `age` is "3 h ago" (default), `moment` is "Nov 11, 14:32". */
  readonly as?: 'age' | 'moment'
  readonly className?: string
}) {
  const { iso, className } = props
  const ms = iso ? Date.parse(iso) : Number.NaN
  if (!iso || Number.isNaN(ms)) return <span className={className}>–</span>
  return (
    <time dateTime={iso} title={iso} className={className}>
      {props.as === 'moment' ? momentText(ms, Date.now()) : <Age ms={ms} />}
    </time>
  )
}

/** Only an age changes while one looks. */
function Age({ ms }: { readonly ms: number }) {
  return ageText(ms, useNow())
}

const MINUTE_MS = 60_000

/** The present, to the minute. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
