import { useEffect, useState } from 'react'
import { ageText, momentText } from './words.ts'

/** A moment as a person says it, in local time; the whole of it, in ISO, on hover. */
export function Time(props: {
  readonly iso: string | null | undefined
  /** `age` is "3 h ago" (default), `moment` is "Nov 11, 14:32". */
  readonly as?: 'age' | 'moment'
  readonly className?: string
}) {
  const now = useNow()
  const ms = props.iso ? Date.parse(props.iso) : Number.NaN
  if (!props.iso || Number.isNaN(ms)) return <span className={props.className}>–</span>
  return (
    <time dateTime={props.iso} title={props.iso} className={props.className}>
      {props.as === 'moment' ? momentText(ms, now) : ageText(ms, now)}
    </time>
  )
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
