import { type ReactNode, useEffect, useState } from 'react'

interface Props {
  /** After so long; in the next frame where nothing is said. */
  readonly ms?: number
  readonly children: ReactNode
}

/** Draws what nobody waits for after the rest: what stands above it is seen sooner, and neither takes long. */
export function Later({ ms, children }: Props) {
  const [isDue, setDue] = useState(false)
  useEffect(() => {
    const due = () => setDue(true)
    if (ms === undefined) {
      const frame = requestAnimationFrame(due)
      return () => cancelAnimationFrame(frame)
    }
    const timer = setTimeout(due, ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isDue ? children : null
}
