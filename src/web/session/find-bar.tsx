import { useId, useLayoutEffect, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { countText } from '../ui/words.ts'
import type { Finding } from './use-find.ts'
import { visible } from './visible.ts'

interface Props {
  readonly finding: Finding
  readonly onClose: () => void
}

/** Finds words inside the session: how often they are there, and the way from one to the next. */
export function FindBar({ finding, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  // Before the next key, which belongs into the field.
  useLayoutEffect(() => field.current?.focus(), [])
  const { words, total, current, isBusy, error } = finding
  const said =
    words === ''
      ? ''
      : error
        ? visible(error.message)
        : isBusy
          ? 'Looking …'
          : total === 0
            ? 'Not found'
            : `${countText(current + 1)} of ${countText(total)} rows`
  return (
    <search className="flex items-center gap-2 border-b border-line bg-surface px-4 py-1.5 sm:px-6">
      <label htmlFor={id} className="sr-only">
        Find in this session
      </label>
      <input
        id={id}
        ref={field}
        type="search"
        value={words}
        placeholder="Find in this session"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => finding.setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault()
            if (event.shiftKey) finding.previous()
            else finding.next()
          }
          if (event.key === 'Escape') {
            event.preventDefault()
            onClose()
          }
        }}
        className="h-8 min-w-0 flex-1 rounded-md border border-edge bg-paper px-2 text-sm sm:max-w-96"
      />
      <span aria-live="polite" className="shrink-0 text-sm whitespace-nowrap text-muted">
        {said}
      </span>
      <Button
        look="quiet"
        aria-label="Previous match"
        title="Previous match (Shift-Enter)"
        disabled={total === 0}
        onClick={finding.previous}
      >
        ↑
      </Button>
      <Button
        look="quiet"
        aria-label="Next match"
        title="Next match (Enter)"
        disabled={total === 0}
        onClick={finding.next}
      >
        ↓
      </Button>
      <Button look="quiet" aria-label="Close find" onClick={onClose}>
        ✕
      </Button>
    </search>
  )
}
