import { useEffect, useRef, useState } from 'react'
import { type Alert, alertsBetween, type Standing } from '../../core/alerts.ts'
import { fetchOp } from '../api.ts'
import { visible } from '../session/visible.ts'
import { titleText } from '../session-words.ts'
import { isAnyOn, useRules } from './rules.ts'

const EVERY_MS = 5000

const SAID: Readonly<Record<Alert['kind'], string>> = {
  waits: 'It waits for you.',
  ended: 'It ended.',
  failed: 'It ended in the middle of its work.',
  cost: 'It costs more than your limit.',
}

/** Looks at what runs, and tells what the person wants to be told of. Of all tabs, one does. */
export function Notifier() {
  const rules = useRules()
  const isOn = isAnyOn(rules) && 'Notification' in window && Notification.permission === 'granted'
  const isMine = useIsTheOne(isOn)
  const current = useRef(rules)
  current.current = rules
  useEffect(() => {
    if (!isMine) return
    let before: readonly Standing[] | undefined
    let isLooking = false
    const look = async () => {
      if (isLooking) return
      isLooking = true
      const now = await standings().catch(() => undefined)
      isLooking = false
      if (!now) return
      if (before && current.current) for (const alert of alertsBetween(before, now, current.current)) show(alert)
      before = now
    }
    void look()
    const timer = setInterval(look, EVERY_MS)
    return () => clearInterval(timer)
  }, [isMine])
  return null
}

/** Holds a lock that one tab of the browser can have; the next gets it when that tab is closed. */
function useIsTheOne(isWanted: boolean): boolean {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (!isWanted || !navigator.locks) return
    const stop = new AbortController()
    let release = () => {}
    const left = new Promise<void>((resolve) => {
      release = resolve
    })
    navigator.locks
      .request('annals-notifications', { signal: stop.signal }, () => {
        setHeld(true)
        return left
      })
      .catch(() => {})
    return () => {
      stop.abort()
      release()
      setHeld(false)
    }
  }, [isWanted])
  return isHeld
}

/** How the newest sessions stand. */
async function standings(): Promise<readonly Standing[]> {
  const [{ live }, { items }] = await Promise.all([fetchOp('status', {}), fetchOp('sessions', { limit: 100 })])
  const states = new Map(live.map(({ session, status }) => [session, status ?? 'busy']))
  return items.map((item) => ({
    session: item.id,
    title: titleText(item),
    state: states.get(item.id) ?? null,
    costUsd: item.costUsd,
  }))
}

function show({ session, title, kind }: Alert): void {
  const note = new Notification(visible(title), { body: SAID[kind], tag: `${session} ${kind}` })
  note.onclick = () => {
    window.focus()
    window.open(`/s/${encodeURIComponent(session)}`, '_blank', 'noopener')
    note.close()
  }
}
