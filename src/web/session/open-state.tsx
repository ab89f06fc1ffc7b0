import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

/** Which folds a reader has opened or closed, by key. Rows leave the page as one scrolls; this remembers for them. */
type OpenState = Map<string, boolean>

const OpenStateContext = createContext<OpenState>(new Map())

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

/** The words being looked for in the row they were found in; `null` elsewhere. Folds that hold them open. */
const SoughtContext = createContext<string | null>(null)

/** Tells the folds of a row which words a reader was led to. */
export function SoughtProvider({ words, children }: { words: string | null; children: ReactNode }) {
  return <SoughtContext value={words}>{children}</SoughtContext>
}

/** Whether one of these texts holds the words a reader was led to. */
export function useIsSought(texts: readonly string[]): boolean {
  const words = useContext(SoughtContext)?.toLowerCase()
  return words !== undefined && words !== '' && texts.some((text) => text.toLowerCase().includes(words))
}
