import { useState } from 'react'
import { numberAt, stringAt } from '../../core/json.ts'
import { useEvents } from '../events.ts'

/** How far an operation has come, as the server tells it. */
export function Progress(props: { readonly op: string; readonly label: string; readonly className?: string }) {
  const [part, setPart] = useState(0)
  useEvents(
    {},
    {
      progress: (data) => {
        const total = numberAt(data, 'totalBytes') ?? 0
        if (stringAt(data, 'op') === props.op && total > 0) setPart((numberAt(data, 'doneBytes') ?? 0) / total)
      },
    },
  )
  return (
    <progress
      aria-label={props.label}
      value={part}
      className={`block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-sunk [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunk [&::-webkit-progress-value]:bg-accent ${props.className ?? ''}`}
    />
  )
}
