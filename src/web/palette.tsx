import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { ActionsDialog } from './actions-dialog.tsx'
import { Dialog } from './ui/dialog.tsx'
import { Said } from './ui/said.tsx'
import { type Asking, usePaletteChoices } from './use-palette-choices.ts'

/** Go anywhere and do anything by typing: what the page is about, pages, projects, sessions by their titles. */
export function Palette(props: { readonly onClose: () => void; readonly onHelp: () => void }) {
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const [asking, setAsking] = useState<Asking | undefined>(undefined)
  const choices = usePaletteChoices(typed, { close: props.onClose, help: props.onHelp, ask: setAsking })
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const at = Math.min(active, choices.length - 1)

  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setActive((at + step + choices.length) % Math.max(1, choices.length))
    else if (event.key === 'Enter') choices[at]?.go()
    else return
    event.preventDefault()
  }

  if (asking) return <ActionsDialog session={asking.session} first={asking.action} onClose={props.onClose} />
  return (
    <Dialog label="Go to" onClose={props.onClose}>
      <div className="flex max-h-[70dvh] flex-col">
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={choices[at] ? `${listId}-${at}` : undefined}
          aria-label="Go to a page, a project or a session, or do something"
          placeholder="Go somewhere, or do something …"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setActive(0)
          }}
          onKeyDown={onKeyDown}
          className="w-full border-b border-line bg-transparent px-4 py-3 outline-none"
        />
        <div ref={list} id={listId} role="listbox" aria-label="Where to go" className="overflow-y-auto p-1.5">
          {choices.map((choice, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
            <div
              key={choice.key}
              id={`${listId}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === at}
              onClick={choice.go}
              className={`flex cursor-pointer items-baseline gap-3 rounded-md px-3 py-1.5 ${i === at ? 'bg-accent-soft' : 'hover:bg-sunk'}`}
            >
              <span className="w-16 shrink-0 text-xs text-muted max-sm:w-12">{choice.kind}</span>
              <Said className="min-w-0 truncate">{choice.text}</Said>
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  )
}
