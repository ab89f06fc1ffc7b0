import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

/** Which folds a reader has opened or closed, by key. Rows leave the page as one scrolls; this remembers for them. */
export interface OpenState {
  readonly get: (key: string) => boolean | undefined
  readonly set: (key: string, isOpen: boolean) => void
}

/** A memory of folds that an address can carry: `told` is what one carried, `onChange` hears what the next shall carry. */
export function createOpenState(told = '', onChange: (told: string) => void = () => {}): OpenState {
  const known = new Map<string, boolean>()
  for (const word of told.split('.').slice(0, MOST_TOLD)) {
    if (word !== '') known.set(word.replace('!', ''), !word.startsWith('!'))
  }
  return {
    get: (key) => known.get(shortOf(key)),
    set: (key, isOpen) => {
      const name = shortOf(key)
      // What changed last stands last: the oldest are forgotten.
      known.delete(name)
      known.set(name, isOpen)
      const words = [...known].map(([one, open]) => (open ? one : `!${one}`))
      onChange(words.slice(-MOST_TOLD).join('.'))
    },
  }
}

/** An address has room for so many. */
const MOST_TOLD = 80

/** A short name for a key: FNV-1a, in base 36. */
export function shortOf(key: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36)
}

const OpenStateContext = createContext<OpenState>(createOpenState())

/** Gives the folds below it a memory. */
export function OpenStateProvider({ state, children }: { state: OpenState; children: ReactNode }) {
  return <OpenStateContext value={state}>{children}</OpenStateContext>
}

/** Whether a fold is open. A reader's own choice is kept; until then `isWanted` decides. */
export function useOpen(key: string, isWanted: boolean): readonly [isOpen: boolean, setOpen: (open: boolean) => void] {
  const state = useContext(OpenStateContext)
  const [chosen, setChosen] = useState(() => state.get(key))
  const setOpen = useCallback(
    (open: boolean) => {
      state.set(key, open)
      setChosen(open)
    },
    [state, key],
  )
  return [chosen ?? isWanted, setOpen]
}

/** The words being looked for in the row they were found in; none elsewhere. Folds that hold one of them open. */
const SoughtContext = createContext<readonly string[]>([])

const NO_WORDS: readonly string[] = []

/** Tells the folds of a row which words a reader was led to. */
export function SoughtProvider({ words, children }: { words: readonly string[] | null; children: ReactNode }) {
  return <SoughtContext value={words ?? NO_WORDS}>{children}</SoughtContext>
}

/** Whether one of these texts holds a word that a reader was led to. */
export function useIsSought(texts: readonly string[]): boolean {
  const words = useContext(SoughtContext)
  if (words.length === 0) return false
  return texts.some((text) => {
    const folded = text.toLowerCase()
    return words.some((word) => word !== '' && folded.includes(word.toLowerCase()))
  })
}
