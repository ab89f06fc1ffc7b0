import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { fetchOp } from '../api.ts'
import { Time } from '../ui/time.tsx'
import { say } from '../ui/toast.tsx'
import { rowAsMarkdown, rowsAsMarkdown } from './as-markdown.ts'
import { pointLink } from './point-link.ts'
import { useSession } from './session-context.tsx'
import type { Row } from './types.ts'
import { visible } from './visible.ts'

/** What can be done with a row: its address, its text, the record it was made from. Closed it is a button and no more. */
export function RowMenu({ row }: { row: Row }) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label="Actions for this row"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className={`absolute top-0 -right-6 z-10 size-6 rounded text-muted hover:bg-sunk hover:text-ink focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 ${isOpen ? '' : 'opacity-0 pointer-coarse:opacity-100'}`}
      >
        ⋯
      </button>
      {isOpen && <Choices row={row} button={button} onClose={() => setOpen(false)} />}
    </>
  )
}

interface ChoicesProps {
  readonly row: Row
  readonly button: RefObject<HTMLButtonElement | null>
  readonly onClose: () => void
}

function Choices({ row, button, onClose }: ChoicesProps) {
  const { session, branch, folder, showRaw, turnRange } = useSession()
  const ref = useRef<HTMLDivElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  useLayoutEffect(() => {
    const isOwn = (target: EventTarget | null) =>
      target instanceof Node && (ref.current?.contains(target) || button.current?.contains(target))
    const onDown = (event: Event) => {
      if (!isOwn(event.target)) close.current()
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !isOwn(event.target)) return
      event.stopPropagation()
      event.preventDefault()
      close.current()
      button.current?.focus()
    }
    document.addEventListener('pointerdown', onDown)
    document.addEventListener('keydown', onKey, true)
    return () => {
      document.removeEventListener('pointerdown', onDown)
      document.removeEventListener('keydown', onKey, true)
    }
  }, [button])
  const leave = () => {
    onClose()
    button.current?.focus()
  }
  const copy = async (what: string, text: string | Promise<string>) => {
    leave()
    const isDone = await Promise.resolve(text)
      .then((ready) => navigator.clipboard.writeText(ready))
      .then(
        () => true,
        () => false,
      )
    say(isDone ? { text: `${what} copied` } : { text: 'Not copied', isBad: true })
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
  const openRaw = (uuid: string, place: Pick<Row, 'file' | 'line' | 'offset'>) => {
    leave()
    showRaw({ session, uuid, file: place.file, line: place.line, offset: place.offset })
  }
  return (
    <div
      ref={ref}
      className="absolute top-6 -right-6 z-20 w-56 rounded-md border border-line bg-surface py-1 text-sm shadow-lg"
    >
      <p className="px-3 py-1 text-xs text-muted">
        <Time iso={row.timestamp} as="moment" /> · row {row.row + 1}, turn {row.turn}
      </p>
      <Choice onClick={() => copy('Link', pointLink(session, row.uuid))}>Copy link to this row</Choice>
      <Choice onClick={() => copy('Row', rowAsMarkdown(row, folder))}>Copy row as Markdown</Choice>
      {turnRange(row.turn) !== undefined && <Choice onClick={() => copy('Turn', turn())}>Copy turn as Markdown</Choice>}
      <Choice onClick={() => openRaw(row.uuid, row)}>Open raw record</Choice>
      {answersOf(row).map(({ name, place }) => (
        <Choice key={place.offset} onClick={() => openRaw(`${row.uuid} answer`, place)}>
          {`Open raw result of ${name}`}
        </Choice>
      ))}
    </div>
  )
}

/** Where the answers to the calls of a row stand. */
function answersOf({ items }: Row) {
  return items.flatMap((item) => {
    if (item.kind !== 'tool' || !item.answer) return []
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
