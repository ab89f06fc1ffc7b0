import { useState } from 'react'
import { Button } from './button.tsx'

/** Copies a text and says so. */
export function CopyButton(props: {
  readonly text: string | (() => string)
  readonly label: string
  readonly children?: string
}) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    const text = typeof props.text === 'string' ? props.text : props.text()
    const isDone = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
    setSaid(isDone ? 'Copied' : 'Not copied')
    setTimeout(() => setSaid(''), 1500)
  }
  return (
    <Button look="quiet" onClick={copy} aria-label={props.label} title={props.label}>
      <span aria-live="polite">{said === '' ? (props.children ?? 'Copy') : said}</span>
    </Button>
  )
}
