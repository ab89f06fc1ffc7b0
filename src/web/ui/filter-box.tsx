import { useEffect, useLayoutEffect, useRef, useState } from 'react'

/** A field that filters what is on the page. Tells what was typed once the person pauses. */
export function FilterBox(props: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly className?: string
}) {
  const [typed, setTyped] = useState(props.value)
  const told = useRef(props.value)
  useLayoutEffect(() => {
    // The address changed by itself, as on Back.
    if (props.value !== told.current) {
      told.current = props.value
      setTyped(props.value)
    }
  }, [props.value])
  const { onChange } = props
  const tell = useRef(onChange)
  tell.current = onChange
  useEffect(() => {
    if (typed === told.current) return
    const timer = setTimeout(() => {
      told.current = typed
      tell.current(typed)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <input
      type="search"
      aria-label={props.label}
      placeholder={props.label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
      className={`h-8 min-w-0 rounded-md border border-line bg-surface px-2.5 text-sm hover:border-edge ${props.className ?? ''}`}
    />
  )
}

const PAUSE_MS = 150
