import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useOp } from './api.ts'
import { PAGES } from './pages.ts'
import { projectGroups } from './project-groups.ts'
import { titleText } from './session-words.ts'
import { Dialog } from './ui/dialog.tsx'

interface Choice {
  readonly key: string
  readonly kind: string
  readonly text: string
  readonly go: () => void
}

/** How many sessions are offered at once. */
const MAX_SESSIONS = 30

/** Go anywhere by typing: pages, projects, sessions by their titles, or a search for what was typed. */
export function Palette(props: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const choices = useChoices(typed, props.onClose)
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

  return (
    <Dialog label="Go to" onClose={props.onClose}>
      <div className="flex max-h-[70dvh] flex-col">
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={choices[at] ? `${listId}-${at}` : undefined}
          aria-label="Go to a page, a project or a session"
          placeholder="Go to a page, a project or a session …"
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
              <span className="w-16 shrink-0 text-xs text-muted">{choice.kind}</span>
              <span className="min-w-0 truncate [unicode-bidi:isolate]">{choice.text}</span>
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  )
}

function useChoices(typed: string, close: () => void): readonly Choice[] {
  const navigate = useNavigate()
  const sessions = useOp('sessions', {})
  const projects = useOp('projects', {})
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const went = (done: Promise<void>) => {
    close()
    return done
  }

  const search: Choice = {
    key: 'search',
    kind: 'Search',
    text: `Search everything for “${typed.trim()}”`,
    go: () => went(navigate({ to: '/search', search: { q: typed.trim() } })),
  }
  const pages = PAGES.filter(({ name }) => fits(name)).map(
    ({ to, name }): Choice => ({ key: to, kind: 'Page', text: name, go: () => went(navigate({ to })) }),
  )
  const places = projectGroups(projects.data?.items ?? [])
    .filter(({ name, path }) => fits(`${name} ${path ?? ''}`))
    .map(
      ({ key, name }): Choice => ({
        key: `project ${key}`,
        kind: 'Project',
        text: name,
        go: () => went(navigate({ to: '/', search: { project: key } })),
      }),
    )
  const found = (sessions.data?.items ?? [])
    .filter((item) => fits(`${item.title ?? ''} ${item.id}`))
    .slice(0, MAX_SESSIONS)
    .map(
      (item): Choice => ({
        key: item.file ?? item.id,
        kind: 'Session',
        text: titleText(item),
        go: () => went(navigate({ to: '/s/$session', params: { session: item.id } })),
      }),
    )
  const isTyped = words.length > 0
  return [...pages, ...(isTyped ? places : places.slice(0, 5)), ...found, ...(isTyped ? [search] : [])]
}
