import { useLayoutEffect, useRef } from 'react'

/** What each key does: `j`, `?`, `ArrowDown`, `Ctrl-k` (also Cmd on a Mac). Answer `false` to leave the key to others. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => unknown>>

/**
 * Listens to keys of the whole page while the component is shown. Plain letters are left alone where a person types, and
 * everything where a dialog is open, unless `inDialog` is said.
 */
export function useKeys(keys: KeyMap, options: { readonly inDialog?: boolean } = {}): void {
  const current = useRef(keys)
  current.current = keys
  const { inDialog = false } = options
  // With the rows themselves: a key that is pressed as soon as they are seen must not be lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return
      if (!inDialog && document.querySelector('dialog[open]')) return
      const isChord = event.ctrlKey || event.metaKey
      if (!isChord && event.key.length === 1 && isTyping(event.target)) return
      // A menu has its own arrows.
      if (event.target instanceof HTMLSelectElement) return
      const name = isChord ? `Ctrl-${event.key.toLowerCase()}` : event.key
      if (!Object.hasOwn(current.current, name)) return
      if (current.current[name]?.(event) !== false) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [inDialog])
}

/** Whether keys go into a field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  const isField = target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)
  return (
    isField || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
  )
}
