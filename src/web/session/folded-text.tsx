import type { ReactNode } from 'react'
import { countText } from '../ui/words.ts'
import { useIsSought, useOpen } from './open-state.tsx'

/** More lines or characters than this are folded. */
const LINES = 30
const CHARACTERS = 3000

/** Prose that is cut off where it is long, until one asks for all of it. */
export function FoldedText({ id, text, children }: { id: string; text: string; children: ReactNode }) {
  const lines = text.split('\n').length
  const isLong = lines > LINES || text.length > CHARACTERS
  const isSought = useIsSought(isLong ? [text] : [])
  const [isOpen, setOpen] = useOpen(`prose:${id}`, isSought)
  if (!isLong) return <>{children}</>
  return (
    <div>
      <div className={isOpen ? '' : 'relative max-h-72 overflow-hidden mask-b-from-60%'}>{children}</div>
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
