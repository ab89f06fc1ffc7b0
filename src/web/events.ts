import { useEffect, useRef, useSyncExternalStore } from 'react'
import { isObject, type JsonValue, numberAt, parseJson, stringAt } from '../core/json.ts'
import { type Followed, type Link, type Member, openHub, type Told } from './event-hub.ts'

/** What a page asks of the stream that all tabs share: the sessions it follows, that it goes, that it is back. */
export type Asked = readonly Followed[] | 'leave' | 'join'

/** What is done with the events of each name. */
export type EventHandlers = Readonly<Record<string, (data: JsonValue | undefined) => void>>

interface Listener {
  readonly followed: Followed | undefined
  readonly handle: (name: string, data: JsonValue | undefined) => void
}

/**
 * Listens to the events as long as the component is shown: to those about all logs, and from an offset on to those of a
 * session; or not at all where the wish is null.
 */
export function useEvents(wish: Partial<Followed> | null, handlers: EventHandlers): void {
  const current = useRef(handlers)
  current.current = handlers
  const { session, from } = wish ?? {}
  const isWanted = wish !== null
  useEffect(() => {
    if (!isWanted) return
    const followed = session === undefined || from === undefined ? undefined : { session, from }
    const listener: Listener = { followed, handle: (name, data) => current.current[name]?.(data) }
    listeners.add(listener)
    ask()
    return () => {
      listeners.delete(listener)
      ask()
    }
  }, [isWanted, session, from])
}

/** How it stands with the server. */
export function useLink(): Link {
  return useSyncExternalStore(onChange, () => link)
}

/** How far the index has come with what it did not know yet. */
export interface IndexState {
  readonly doneBytes: number
  readonly totalBytes: number
  readonly trouble: string | undefined
}

/** How far the index is; `undefined` until that is known. */
export function useIndexState(): IndexState | undefined {
  return useSyncExternalStore(onChange, () => index)
}

const listeners = new Set<Listener>()
const watchers = new Set<() => void>()
let link: Link = 'open'
let index: IndexState | undefined
let send: ((asked: Asked) => void) | undefined

function onChange(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

function ask(): void {
  send ??= openStream()
  send([...listeners].flatMap(({ followed }) => followed ?? []))
}

/** Through a worker that all tabs share; where there is none, a stream of our own while somebody looks. */
function openStream(): (asked: Asked) => void {
  const post = 'SharedWorker' in window ? throughWorker() : alone()
  // A page that is kept for going back comes to life again.
  window.addEventListener('pagehide', () => post('leave'))
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    post('join')
    ask()
  })
  return post
}

function throughWorker(): (asked: Asked) => void {
  const { port } = new SharedWorker(new URL('./event-worker.ts', import.meta.url), { type: 'module', name: 'annals' })
  port.onmessage = ({ data }: MessageEvent<Told>) => hear(data)
  return (asked) => port.postMessage(asked)
}

function alone(): (asked: Asked) => void {
  const hub = openHub()
  let member: Member | undefined = hub.join(hear)
  const post = (asked: Asked) => {
    if (asked === 'leave' || asked === 'join') {
      member?.leave()
      member = asked === 'join' ? hub.join(hear) : undefined
    } else member?.follow(asked)
  }
  document.addEventListener('visibilitychange', () => {
    post(document.hidden ? 'leave' : 'join')
    if (!document.hidden) ask()
  })
  return post
}

function hear(told: Told): void {
  if (told.kind === 'link') {
    link = told.link
    tellWatchers()
    return
  }
  const data = parseJson(told.data)
  if (told.name === 'index' && isObject(data)) {
    const [doneBytes = 0, totalBytes = 0] = [numberAt(data, 'doneBytes'), numberAt(data, 'totalBytes')]
    index = { doneBytes, totalBytes, trouble: stringAt(data, 'trouble') }
    tellWatchers()
  }
  const about = OF_ONE.has(told.name) ? stringAt(data, 'session') : undefined
  for (const { followed, handle } of [...listeners]) {
    if (about === undefined || followed?.session === about) handle(told.name, data)
  }
}

/** Events about one session, for who follows it. */
const OF_ONE = new Set(['rows', 'rewritten', 'gone'])

function tellWatchers(): void {
  for (const watcher of watchers) watcher()
}
