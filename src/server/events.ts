import { Worker } from 'node:worker_threads'
import { resultText } from '../core/json-text.ts'
import { endThread } from '../disk/end-thread.ts'
import { type Answer, refusalAnswer, type Setup } from './clerk.ts'
import { Outbox } from './outbox.ts'
import { openScout, type Scout, type Sighting } from './scout.ts'
import type { Hire, Order } from './worker.ts'

/** What a stream is for: all logs, or one session's from an offset on as well. */
export interface StreamWish {
  readonly session: string | undefined
  readonly from: number | undefined
  /** When it ends at the latest: the token was revoked. */
  readonly until: AbortSignal
  /** Where it is sent to, which may go away at any time. */
  readonly reader: { readonly destroyed: boolean; once(event: 'close', listener: () => void): unknown }
}

/** The open streams of events. */
export interface Events {
  /** Opens a stream, or says why not. */
  open(wish: StreamWish): Promise<ReadableStream<Uint8Array> | Answer>
  /** Tells all streams how far an operation has come. */
  progress(op: string, doneBytes: number, totalBytes: number): void
  close(): void
}

export interface EventsOptions {
  /** The worker's script; without it, the logs are watched in this thread. */
  readonly script: string | undefined
  readonly mostStreams: number
  readonly keepAliveMs: number
}

/** The browser comes back after so long. */
const RETRY = 'retry: 1000\n\n'

const TOO_MANY = {
  status: 503,
  code: 'BUSY',
  message: 'Too many pages are open.',
  hint: 'Close some of them.',
} as const

/** Opens the events of some roots. Nothing is watched before somebody listens. */
export function openEvents(setup: Setup, options: EventsOptions): Events {
  const streams = new Map<number, Outbox>()
  const untils = new Map<number, () => void>()
  const starting = new Map<number, (first: Sighting) => void>()
  let scout: Scout | undefined
  let lastId = 0

  const timer = setInterval(() => {
    for (const outbox of streams.values()) outbox.push(': still here\n\n')
  }, options.keepAliveMs)
  timer.unref()

  function hear(sighting: Sighting): void {
    if (sighting.kind === 'change') tellAll('change', { sessions: sighting.sessions })
    else if (sighting.kind === 'started' || sighting.kind === 'failed') {
      // An event without data only tells the browser where to go on; it must stand before the first rows.
      if (sighting.kind === 'started') streams.get(sighting.id)?.push(`id: ${sighting.offset}\n\n`)
      starting.get(sighting.id)?.(sighting)
    } else {
      const { kind, id, ...data } = sighting
      const at = kind === 'rows' ? `id: ${sighting.offset}\n` : ''
      streams.get(id)?.push(at + eventText(kind, data))
      if (kind === 'gone') leave(id)
    }
  }

  function tellAll(event: string, data: object): void {
    for (const outbox of streams.values()) outbox.push(eventText(event, data))
  }

  function leave(id: number): void {
    scout?.leave(id)
    starting.get(id)?.({ kind: 'gone', id })
    streams.get(id)?.close()
    streams.delete(id)
    untils.get(id)?.()
    untils.delete(id)
  }

  function closeAll(): void {
    for (const id of [...streams.keys()]) leave(id)
    scout?.close()
    scout = undefined
  }

  return {
    async open({ session, from, until, reader }) {
      if (streams.size >= options.mostStreams) return refusalAnswer(TOO_MANY)
      const id = ++lastId
      const outbox = new Outbox()
      streams.set(id, outbox)
      const end = () => leave(id)
      until.addEventListener('abort', end)
      untils.set(id, () => until.removeEventListener('abort', end))
      reader.once('close', end)
      if (until.aborted || reader.destroyed) {
        end()
        return outbox.stream(end)
      }
      // A scout that is lost leaves no stream behind: the pages come back and get a new one.
      scout ??=
        options.script === undefined ? openScout(setup, hear) : remoteScout(options.script, setup, hear, closeAll)
      outbox.push(RETRY)
      if (session !== undefined) {
        const first = await new Promise<Sighting>((resolve) => {
          starting.set(id, resolve)
          scout?.follow(id, session, from)
        })
        starting.delete(id)
        if (first.kind === 'failed') {
          end()
          return { status: first.status, body: first.body }
        }
      }
      return outbox.stream(end)
    },
    progress: (op, doneBytes, totalBytes) => tellAll('progress', { op, doneBytes, totalBytes }),
    close() {
      clearInterval(timer)
      closeAll()
    },
  }
}

function eventText(event: string, data: object): string {
  return `event: ${event}\ndata: ${resultText(data)}\n\n`
}

function remoteScout(script: string, setup: Setup, hear: (sighting: Sighting) => void, lost: () => void): Scout {
  const worker = new Worker(script, { workerData: { role: 'scout', setup } satisfies Hire })
  const send = (order: Order) => worker.postMessage(order)
  worker.on('message', hear)
  worker.on('error', lost)
  return {
    follow: (id, session, from) => send({ kind: 'follow', id, session, from }),
    leave: (id) => send({ kind: 'leave', id }),
    close: () => void endThread(worker),
  }
}
