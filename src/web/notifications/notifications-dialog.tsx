import { useState } from 'react'
import { type AlertRules, NO_ALERTS } from '../../core/alerts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { say } from '../ui/toast.tsx'
import { setRules, useRules } from './rules.ts'

const CHOICES = [
  { name: 'waits', text: 'A session waits for you' },
  { name: 'ended', text: 'A session ended' },
  { name: 'failed', text: 'A session failed: it ended in the middle of its work' },
] as const

/** What the person wants to be told of, while a page of annals is open. */
export function NotificationsDialog(props: { readonly onClose: () => void }) {
  const known = useRules()
  const rules = known ?? NO_ALERTS
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : 'denied'))
  const set = (change: Partial<AlertRules>) => {
    void setRules({ ...rules, ...change }).catch((error: Error) => say({ text: error.message, isBad: true }))
    if (permission === 'default') void Notification.requestPermission().then(setPermission)
  }
  return (
    <Dialog label="Notifications" onClose={props.onClose} className="w-[min(28rem,calc(100vw-2rem))]!">
      <div className="p-5">
        <h2 className="font-semibold">Notifications</h2>
        <p className="mt-1 text-sm text-muted">
          Your browser tells you, as long as a page of annals is open. What you choose is kept in annals' own folder.
        </p>
        {/* Before it is known what was chosen, a choice would overwrite it. */}
        <fieldset disabled={known === undefined}>
          <legend className="sr-only">Tell me when</legend>
          <ul className="mt-4 space-y-2">
            {CHOICES.map(({ name, text }) => (
              <li key={name}>
                <label className="flex items-center gap-2.5">
                  <input
                    type="checkbox"
                    checked={rules[name]}
                    onChange={(event) => set({ [name]: event.target.checked })}
                    className="size-4 shrink-0 accent-accent"
                  />
                  {text}
                </label>
              </li>
            ))}
            <li>
              <Limit value={rules.costUsd} onChange={(costUsd) => set({ costUsd })} />
            </li>
          </ul>
        </fieldset>
        {permission === 'denied' ? (
          <p role="status" className="mt-4 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
            The browser does not allow notifications from this page: allow them in its settings for this address.
          </p>
        ) : null}
        <div className="mt-4 flex justify-end">
          <Button look="main" onClick={props.onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const USUAL_USD = 10

function Limit(props: { readonly value: number | null; readonly onChange: (usd: number | null) => void }) {
  const { value, onChange } = props
  return (
    <span className="flex flex-wrap items-center gap-2.5">
      <label className="flex items-center gap-2.5">
        <input
          type="checkbox"
          checked={value !== null}
          onChange={(event) => onChange(event.target.checked ? USUAL_USD : null)}
          className="size-4 shrink-0 accent-accent"
        />
        A session costs more than
      </label>
      <span className="flex items-center gap-2.5 text-muted">
        $
        <input
          type="number"
          aria-label="Dollars"
          min={0}
          step="any"
          disabled={value === null}
          defaultValue={value ?? USUAL_USD}
          key={value === null ? 'off' : 'on'}
          onBlur={(event) => {
            const usd = event.target.valueAsNumber
            if (Number.isFinite(usd) && usd >= 0 && usd !== value) onChange(usd)
          }}
          className="h-8 w-24 rounded-md border border-line bg-paper px-2 text-sm text-ink disabled:opacity-50"
        />
      </span>
    </span>
  )
}
