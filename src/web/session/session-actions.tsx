import { useState } from 'react'
import { useAbout } from '../api.ts'
import { type Actable, star } from '../session-actions.ts'
import { Button } from '../ui/button.tsx'
import { whenUsed } from '../when-used.tsx'

const ActionsDialog = whenUsed(async () => (await import('../windows.ts')).ActionsDialog)

/** What can be done with a session beside reading it: a star at once, all else in the window that lists have too. */
export function SessionActions({ session }: { session: Actable }) {
  const [isOpen, setOpen] = useState(false)
  const isDemo = useAbout()?.isDemo ?? true
  const label = session.starred ? 'Remove star' : 'Add star'
  return (
    <>
      {!isDemo && (
        <Button
          look="quiet"
          aria-pressed={session.starred}
          aria-label={label}
          title={label}
          onClick={() => void star(session, !session.starred)}
          className={session.starred ? 'text-warn!' : ''}
        >
          {session.starred ? '★' : '☆'}
        </Button>
      )}
      <Button
        look="quiet"
        aria-haspopup="dialog"
        aria-label="More to do with this session"
        title="Rename, tag, keep, export, print …"
        onClick={() => setOpen(true)}
      >
        ⋯
      </Button>
      {isOpen && <ActionsDialog session={session} onClose={() => setOpen(false)} />}
    </>
  )
}
