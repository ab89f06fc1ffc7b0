import { Worker } from 'node:worker_threads'
import { resultText } from '../core/json-text.ts'
import { endThread } from '../disk/end-thread.ts'
import { EventQueue } from './event-queue.ts'
import type { IndexState } from './indexer.ts'
import { type Answer, errorAnswer, type Setup } from './op-runner.ts'
import { openScout, type Scout, type Sighting } from './scout.ts'
import type { Hire, Order } from './worker.ts'

/** What a stream is for: all logs, and from an offset on those of some sessions as well. */
export interface StreamWish {
  readonly sessions: readonly Followed[]
  /** Goes on although a session is not there, or no longer; else a stream of one session ends with it. */
  readonly stays: boolean
  /** When it ends at the latest: the token was revoked. */
  readonly until: AbortSignal
  /** Where it is sent to, which may go away at any time. */
  readonly reader: { readonly destroyed: boolean; once(event: 'close', listener: () => void): unknown }
}

/** A session that is followed, from the offset that was seen last. */
export interface Followed {
  readonly session: string
  readonly from: number | undefined
}

/** The open streams of events. */
export interface Events {
  /** Opens a stream, or says why not. */
  open(wish: StreamWish): Promise<ReadableStream<Uint8Array> | Answer>
  /** Tells all streams how far an operation has come. */
  progress(op: string, doneBytes: number, totalBytes: number): void
  /** Tells all streams, and those to come, how far the index is. */
  index(state: IndexState): void
  close(): void
}

export interface EventsOptions {
  /** The worker's script; without it, the logs are watched in this thread. */
  readonly script: string | undefined
  readonly mostStreams: number
  readonly keepAliveMs: number
  /** Called when logs have changed, or may have while nobody listened. */
  readonly onChange: () => void
}

/** The browser comes back after so long. */
const RETRY = 'retry: 1000\n\n'

const TOO_MANY = {
  status: 503,
  code: 'BUSY',
  message: 'Too many pages are open.',
  hint: 'Close some of them.',
} as const

interface Stream {
  readonly queue: EventQueue
  /** What it follows, by the scout's number. */
  readonly follows: Map<number, string>
  /** It is about one log: its ids are the offsets in it, and it ends with it. */
  readonly isOfOne: boolean
  readonly release: () => void
}

/** Opens the events of some roots. Nothing is watched before somebody listens. */
export function openEvents(setup: Setup, options: EventsOptions): Events {
  const streams = new Set<Stream>()
  const followers = new Map<number, Stream>()
  const starting = new Map<number, (first: Sighting) => void>()
  let scout: Scout | undefined
  let index: IndexState | undefined
  let lastId = 0

  const timer = setInterval(() => {
    for (const { queue } of streams) queue.push(': still here\n\n')
  }, options.keepAliveMs)
  timer.unref()

  function hear(sighting: Sighting): void {
    if (sighting.kind === 'change') {
      tellAll('change', { sessions: sighting.sessions })
      options.onChange()
      return
    }
    const { kind, id, ...data } = sighting
    const stream = followers.get(id)
    if (!stream) return
    // An event without data only tells the browser where to go on; it must stand before the first rows.
    if (kind === 'started' && stream.isOfOne) stream.queue.push(`id: ${sighting.offset}\n\n`)
    if (kind === 'rows' || kind === 'rewritten') {
      const at = kind === 'rows' && stream.isOfOne ? `id: ${sighting.offset}\n` : ''
      stream.queue.push(at + eventText(kind, { session: stream.follows.get(id), ...data }))
    }
    starting.get(id)?.(sighting)
    if (kind === 'gone' || kind === 'failed') lose(stream, id)
  }

  /** A log that is not there, or no longer: what else is followed goes on. */
  function lose(stream: Stream, id: number): void {
    stream.queue.push(eventText('gone', { session: stream.follows.get(id) }))
    if (stream.isOfOne) leave(stream)
    else unfollow(stream, id)
  }

  function unfollow(stream: Stream, id: number): void {
    scout?.leave(id)
    stream.follows.delete(id)
    followers.delete(id)
    starting.get(id)?.({ kind: 'gone', id })
    starting.delete(id)
  }

  function tellAll(event: string, data: object): void {
    for (const { queue } of streams) queue.push(eventText(event, data))
  }

  function leave(stream: Stream): void {
    for (const id of [...stream.follows.keys()]) unfollow(stream, id)
    stream.queue.close()
    stream.release()
    streams.delete(stream)
  }

  function closeAll(): void {
    for (const stream of [...streams]) leave(stream)
    scout?.close()
    scout = undefined
  }

  /** Follows a log; resolves with where it begins, or with why not. */
  function follow(stream: Stream, { session, from }: Followed): Promise<Sighting> {
    const id = ++lastId
    stream.follows.set(id, session)
    followers.set(id, stream)
    return new Promise((resolve) => {
      starting.set(id, (first) => {
        starting.delete(id)
        resolve(first)
      })
      scout?.follow(id, session, from)
    })
  }

  return {
    async open({ sessions, stays, until, reader }) {
      if (streams.size >= options.mostStreams) return errorAnswer(TOO_MANY)
      const end = () => leave(stream)
      const stream: Stream = {
        queue: new EventQueue(),
        follows: new Map(),
        isOfOne: sessions.length === 1 && !stays,
        release: () => until.removeEventListener('abort', end),
      }
      streams.add(stream)
      until.addEventListener('abort', end)
      reader.once('close', end)
      if (until.aborted || reader.destroyed) {
        end()
        return stream.queue.stream(end)
      }
      // A scout that is lost leaves no stream behind: the pages come back and get a new one.
      scout ??=
        options.script === undefined ? openScout(setup, hear) : remoteScout(options.script, setup, hear, closeAll)
      options.onChange()
      stream.queue.push(RETRY)
      if (index) stream.queue.push(eventText('index', index))
      const [first] = await Promise.all(sessions.map((one) => follow(stream, one)))
      if (stream.isOfOne && first?.kind === 'failed') return { status: first.status, body: first.body }
      return stream.queue.stream(end)
    },
    progress: (op, doneBytes, totalBytes) => tellAll('progress', { op, doneBytes, totalBytes }),
    index(state) {
      index = state
      tellAll('index', state)
    },
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
