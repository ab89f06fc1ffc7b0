import { type ReactNode, useLayoutEffect, useRef } from 'react'

/** A window above the page. The browser keeps the focus inside, closes it on Escape and gives the focus back. */
export function Dialog(props: {
  readonly label: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly className?: string
}) {
  const ref = useRef<HTMLDialogElement>(null)
  // Before the next key: an Escape that comes at once must find it open.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // Where it goes because something was chosen, too, the browser gives the focus back only when it is closed.
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog; the click is one beside it
    <dialog
      ref={ref}
      aria-label={props.label}
      onClose={(event) => {
        // One that has gone says so a moment later; whoever took it away knows.
        if (event.currentTarget.isConnected) props.onClose()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) event.currentTarget.close()
      }}
      className={`mx-auto mt-[12dvh] max-h-[76dvh] w-[min(40rem,calc(100vw-2rem))] overflow-hidden rounded-xl border border-line bg-surface p-0 text-ink shadow-2xl outline-none backdrop:bg-black/40 ${props.className ?? ''}`}
    >
      {props.children}
    </dialog>
  )
}
