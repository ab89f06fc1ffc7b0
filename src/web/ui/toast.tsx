import { useSyncExternalStore } from 'react'
import { Button } from './button.tsx'

/** What is said for a moment, after something was done. */
export interface Toast {
  readonly text: string
  readonly isBad?: boolean
  /** What can still be done about it. */
  readonly action?: { readonly name: string; readonly run: () => void }
}

const SHOWN_MS = 6000
const LONG_MS = 12_000

let shown: Toast | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** Says something; what was said before goes. */
export function say(toast: Toast | undefined): void {
  shown = toast
  clearTimeout(timer)
  if (toast) timer = setTimeout(() => say(undefined), toast.action || toast.isBad ? LONG_MS : SHOWN_MS)
  for (const listener of listeners) listener()
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Where it is said: at the foot of every page. */
export function ToastArea() {
  const toast = useSyncExternalStore(listen, () => shown)
  return (
    <div role="status" className="pointer-events-none fixed inset-x-3 bottom-3 z-30 flex justify-center">
      {toast ? (
        <div
          className={`pointer-events-auto flex max-w-xl items-center gap-3 rounded-lg border px-4 py-2 text-sm shadow-lg ${
            toast.isBad ? 'border-danger bg-danger-soft text-danger' : 'border-line bg-surface'
          }`}
        >
          <span className="min-w-0">{toast.text}</span>
          {toast.action ? (
            <Button
              onClick={() => {
                toast.action?.run()
                say(undefined)
              }}
            >
              {toast.action.name}
            </Button>
          ) : null}
          <Button look="quiet" aria-label="Close this note" onClick={() => say(undefined)}>
            ×
          </Button>
        </div>
      ) : null}
    </div>
  )
}
