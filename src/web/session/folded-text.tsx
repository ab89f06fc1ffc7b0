import type { ReactNode } from 'react'
import { countText } from '../ui/words.ts'
import { useIsSought, useOpen } from './open-state.tsx'

/** More lines or characters than this are folded. */
const LINES = 30
const CHARACTERS = 3000

interface Props {
  readonly id: string
  readonly text: string
  /** Draws as much of the text as is shown. */
  readonly children: (shown: string) => ReactNode
}

/** Prose that is cut off where it is long, until one asks for all of it: what is folded away is not laid out either. */
export function FoldedText({ id, text, children }: Props) {
  const lines = text.split('\n').length
  const isLong = lines > LINES || text.length > CHARACTERS
  const isSought = useIsSought(isLong ? [text] : [])
  const [isOpen, setOpen] = useOpen(`prose:${id}`, isSought)
  if (!isLong) return <>{children(text)}</>
  return (
    <div>
      <div className={isOpen ? '' : 'relative max-h-72 overflow-hidden mask-b-from-60%'}>
        {children(isOpen ? text : text.slice(0, CHARACTERS))}
      </div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="mt-1 rounded px-1 text-sm text-muted hover:bg-sunk hover:text-ink"
      >
        {lines > LINES ? `${countText(lines)} lines` : `${countText(text.length)} characters`} ·{' '}
        {isOpen ? 'fold' : 'show all'}
      </button>
    </div>
  )
}
