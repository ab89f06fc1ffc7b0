import { useEffect, useRef, useState } from 'react'
import { fetchOp } from '../api.ts'
import { Time } from '../ui/time.tsx'
import { rowAsMarkdown, rowsAsMarkdown } from './as-markdown.ts'
import { pointLink } from './point-link.ts'
import { useSession } from './session-context.tsx'
import type { Row } from './types.ts'
import { visible } from './visible.ts'

/** What can be done with a row: its address, its text, the record it was made from. */
export function RowMenu({ row }: { row: Row }) {
  const { session, branch, folder, showRaw, turnRange } = useSession()
  const [isOpen, setOpen] = useState(false)
  const [said, setSaid] = useState('')
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const onDown = (event: Event) => {
      if (event.target instanceof Node && !ref.current?.contains(event.target)) setOpen(false)
    }
    document.addEventListener('pointerdown', onDown)
    return () => document.removeEventListener('pointerdown', onDown)
  }, [isOpen])
  const copy = async (what: string, text: string | Promise<string>) => {
    const isDone = await Promise.resolve(text)
      .then((ready) => navigator.clipboard.writeText(ready))
      .then(
        () => true,
        () => false,
      )
    setSaid(isDone ? `${what} copied` : 'Not copied')
    setOpen(false)
    setTimeout(() => setSaid(''), 1800)
  }
  const turn = async () => {
    const range = turnRange(row.turn)
    const input = {
      session,
      ...(branch !== undefined && { branch }),
      from: range?.row ?? row.row,
      count: Math.min(500, range?.rows ?? 1),
    }
    const { rows } = await fetchOp('read', input)
    return rowsAsMarkdown(rows, folder)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the menu's buttons have the focus; here only Escape is heard
    <div
      ref={ref}
      className="relative flex items-center"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        event.stopPropagation()
        event.preventDefault()
        setOpen(false)
        ref.current?.querySelector('button')?.focus()
      }}
    >
      <span aria-live="polite" className={said === '' ? 'sr-only' : 'rounded bg-ink px-2 py-0.5 text-xs text-paper'}>
        {said}
      </span>
      <button
        type="button"
        aria-label="Actions for this row"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className={`grid size-6 place-items-center rounded text-muted hover:bg-sunk hover:text-ink focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 ${isOpen ? '' : 'opacity-0 pointer-coarse:opacity-100'}`}
      >
        ⋯
      </button>
      {isOpen && (
        <div className="absolute top-full right-0 z-20 w-56 rounded-md border border-line bg-surface py-1 text-sm shadow-lg">
          <p className="px-3 py-1 text-xs text-muted">
            <Time iso={row.timestamp} as="moment" /> · row {row.row + 1}, turn {row.turn}
          </p>
          <Choice onClick={() => copy('Link', pointLink(session, row.uuid))}>Copy link to this row</Choice>
          <Choice onClick={() => copy('Row', rowAsMarkdown(row, folder))}>Copy row as Markdown</Choice>
          {turnRange(row.turn) !== undefined && (
            <Choice onClick={() => copy('Turn', turn())}>Copy turn as Markdown</Choice>
          )}
          <Choice
            onClick={() => {
              setOpen(false)
              showRaw({ session, uuid: row.uuid, file: row.file, line: row.line, offset: row.offset })
            }}
          >
            Open raw record
          </Choice>
          {answersOf(row).map(({ name, place }) => (
            <Choice
              key={place.offset}
              onClick={() => {
                setOpen(false)
                showRaw({ session, uuid: `${row.uuid} answer`, ...place })
              }}
            >
              {`Open raw result of ${name}`}
            </Choice>
          ))}
        </div>
      )}
    </div>
  )
}

/** Where the answers to the calls of a row stand. */
function answersOf({ items }: Row) {
  return items.flatMap((item) => {
    if (item.kind !== 'tool' || item.answer === null) return []
    return [{ name: visible(item.name.slice(0, 30)), place: item.answer }]
  })
}

function Choice({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button type="button" onClick={onClick} className="block w-full px-3 py-1.5 text-left hover:bg-sunk">
      {children}
    </button>
  )
}
