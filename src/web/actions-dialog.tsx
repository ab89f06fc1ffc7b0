import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { useAbout } from './api.ts'
import { type Actable, type SessionAction, sessionActions } from './session-actions.ts'
import { titleText } from './session-words.ts'
import { Button } from './ui/button.tsx'
import { Dialog } from './ui/dialog.tsx'
import { Said } from './ui/said.tsx'

/** What one can do with a session, as a list in a window. */
export function ActionsDialog(props: {
  readonly session: Actable
  /** The action to begin with, where one was chosen elsewhere. */
  readonly first?: SessionAction
  readonly onClose: () => void
}) {
  const { session, onClose } = props
  const isDemo = useAbout()?.isDemo ?? false
  const [asking, setAsking] = useState<SessionAction | undefined>(props.first)
  const choose = (action: SessionAction) => {
    if (action.asks) setAsking(action)
    else {
      onClose()
      void action.run('')
    }
  }
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const step =
      event.key === 'ArrowDown' || event.key === 'j' ? 1 : event.key === 'ArrowUp' || event.key === 'k' ? -1 : 0
    if (step === 0) return
    const buttons = [...event.currentTarget.querySelectorAll('button')]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    buttons[(at + step + buttons.length) % buttons.length]?.focus()
    event.preventDefault()
  }
  return (
    <Dialog label={`Actions for ${titleText(session)}`} onClose={onClose} className="w-[min(26rem,calc(100vw-2rem))]!">
      <h2 className="truncate border-b border-line px-4 py-3 font-semibold">
        <Said>{titleText(session)}</Said>
      </h2>
      {asking?.asks ? (
        <Question action={asking} asks={asking.asks} onDone={onClose} />
      ) : (
        <ul className="p-1.5" onKeyDown={onKeyDown}>
          {sessionActions(session, isDemo).map((action) => (
            <li key={action.key}>
              <button
                type="button"
                onClick={() => choose(action)}
                className="w-full rounded-md px-3 py-1.5 text-left hover:bg-sunk focus:bg-accent-soft"
              >
                {action.text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}

function Question(props: {
  readonly action: SessionAction
  readonly asks: NonNullable<SessionAction['asks']>
  readonly onDone: () => void
}) {
  const { action, asks, onDone } = props
  const [value, setValue] = useState(asks.value)
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  // The browser gives it the focus only where the window opens with it.
  useLayoutEffect(() => field.current?.focus(), [])
  const isReady = asks.mayBeEmpty || value.trim() !== ''
  return (
    <form
      className="p-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReady) return
        onDone()
        void action.run(value.trim())
      }}
    >
      <label htmlFor={id} className="text-sm text-muted">
        {asks.label}
      </label>
      <input
        ref={field}
        id={id}
        // biome-ignore lint/a11y/noAutofocus: a window that asks one thing begins there
        autoFocus
        dir="auto"
        value={value}
        onChange={(event) => setValue(event.target.value)}
        className="mt-1 h-9 w-full rounded-md border border-line bg-paper px-3"
      />
      <p className="mt-1 text-xs text-muted">Claude Code shows it too. It can be taken back with Undo.</p>
      <div className="mt-3 flex justify-end gap-2">
        <Button onClick={onDone}>Leave it</Button>
        <Button look="main" type="submit" disabled={!isReady}>
          Save
        </Button>
      </div>
    </form>
  )
}
