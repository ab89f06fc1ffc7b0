import { useState } from 'react'
import { useKeys } from './use-keys.ts'

/** Walking through a list by keys: arrows or j and k move, Enter opens. Gives the row one is at; -1 before the first step. */
export function useListKeys(count: number, open: (index: number) => void): readonly [number, (index: number) => void] {
  const [chosen, setChosen] = useState(-1)
  const active = Math.min(chosen, count - 1)
  const move = (step: number) => setChosen(Math.max(0, Math.min(count - 1, active + step)))
  useKeys({
    ArrowDown: () => move(1),
    ArrowUp: () => (active < 0 ? false : move(-1)),
    j: () => move(1),
    k: () => move(-1),
    Enter: (event) => {
      // A link or button with the focus opens itself.
      const isOwn = event.target instanceof Element && event.target.closest('a, button, select, summary') !== null
      if (isOwn || active < 0) return false
      open(active)
      return true
    },
    Escape: () => (active < 0 ? false : setChosen(-1)),
  })
  return [active, setChosen]
}
