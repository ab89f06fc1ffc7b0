import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { currentPlace, useNavigate, usePlace } from '../routing.tsx'
import { useKeys } from '../ui/use-keys.ts'

/**
 * How long a person pauses between two keys before the search runs: no longer than between keys that are typed in one go, for
 * each search that nobody waits for is in the way of the next; longer for a letter or two, which find much and are seldom all.
 */
const PAUSE_MS = 35
const FIRST_PAUSE_MS = 150

/** The field that searches everything, on every page. What is typed goes into the address, and the page searches. */
export function SearchBox() {
  const navigate = useNavigate()
  const field = useRef<HTMLInputElement>(null)
  const { address, search } = usePlace()
  const isSearching = address === '/search'
  // On a page that a hit led to, the search is kept: Enter leads back to what was found.
  const query = (isSearching ? search.q : search.hits) ?? ''
  const [typed, setTyped] = useState(query)
  const told = useRef(query)

  useLayoutEffect(() => {
    // The address changed by itself: Back, a link, another page. What is typed from then on must not be lost.
    if (query === told.current) return
    told.current = query
    setTyped(query)
  }, [query])

  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(pause.current), [])
  // Counted from the key itself: an effect would begin a frame later.
  const type = (text: string) => {
    setTyped(text)
    clearTimeout(pause.current)
    pause.current = setTimeout(() => go(text), text.trim().length < 3 ? FIRST_PAUSE_MS : PAUSE_MS)
  }
  const go = (text: string) => {
    const isHere = currentPlace().address === '/search'
    if (text === told.current || (!isHere && text.trim() === '')) return
    told.current = text
    // Coming from another page is a step one can go back; further letters are not.
    if (isHere) navigate({ to: '/search', search: (now) => ({ ...now, q: text }), replace: true })
    else navigate({ to: '/search', search: { q: text } })
  }

  useKeys({ '/': () => field.current?.select() ?? field.current?.focus() })

  return (
    <search className="min-w-0 max-w-md flex-1">
      <input
        ref={field}
        type="search"
        aria-label="Search everything"
        placeholder="/ Search"
        autoComplete="off"
        dir="auto"
        spellCheck={false}
        value={typed}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
          if (event.key === 'Enter' && !isSearching && typed.trim() !== '') {
            navigate({ to: '/search', search: { q: typed } })
          }
        }}
        className="h-9 w-full rounded-md border border-line bg-sunk px-3 text-sm text-ellipsis hover:border-edge"
      />
    </search>
  )
}
