import { resultText } from '../core/json-text.ts'
import { EventQueue } from './event-queue.ts'
import { type Answer, errorAnswer } from './op-runner.ts'
import type { IndexState, Writer, WriterEvent } from './writer.ts'

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
  /** Tells those whom it concerns what the writer has told. */
  hear(event: WriterEvent): void
  /** Tells all streams how far an operation has come. */
  progress(op: string, doneBytes: number, totalBytes: number): void
  /** Ends all streams: who comes back begins anew. */
  closeStreams(): void
  close(): void
}

export interface EventsOptions {
  readonly writer: Pick<Writer, 'follow' | 'leave'>
  readonly mostStreams: number
  readonly keepAliveMs: number
}

/** What changed so long before somebody listens may be later than what they look at. */
const MISSED_MS = 5000

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
  /** What it follows, by the number that the writer knows it by. */
  readonly follows: Map<number, string>
  /** It is about one log: its ids are the offsets in it, and it ends with it. */
  readonly isOfOne: boolean
  readonly release: () => void
}

type OfLog = Extract<WriterEvent, { readonly id: number }>

/** Opens the events. */
export function openEvents({ writer, mostStreams, keepAliveMs }: EventsOptions): Events {
  const streams = new Set<Stream>()
  const followers = new Map<number, Stream>()
  const starting = new Map<number, (refused?: Answer) => void>()
  let index: IndexState | undefined
  let recent: readonly { readonly at: number; readonly sessions: readonly string[] }[] = []
  let lastId = 0

  const timer = setInterval(() => {
    for (const { queue } of streams) queue.push(': still here\n\n')
  }, keepAliveMs)
  timer.unref()

  function hear(told: WriterEvent): void {
    if (told.kind === 'change') {
      const at = performance.now()
      recent = [...recent.filter((one) => at - one.at < MISSED_MS), { at, sessions: told.sessions }]
      tellAll('change', { sessions: told.sessions })
    } else if (told.kind === 'index') {
      index = told.state
      tellAll('index', told.state)
    } else if ('id' in told) hearOfLog(told)
  }

  function hearOfLog(told: OfLog): void {
    const { id } = told
    const stream = followers.get(id)
    if (!stream) return
    if (told.kind === 'refused') {
      starting.get(id)?.(told.answer)
      lose(stream, id)
      return
    }
    const { kind, ...data } = told.event
    const at = stream.isOfOne && 'offset' in data ? `id: ${data.offset}\n` : ''
    // An event without data only tells the browser where to go on; it must stand before the first rows.
    if (kind === 'started' && at !== '') stream.queue.push(`${at}\n`)
    if (kind === 'rows' || kind === 'rewritten')
      stream.queue.push(at + eventText(kind, { session: stream.follows.get(id), ...data }))
    starting.get(id)?.()
    if (kind === 'gone') lose(stream, id)
  }

  /** A log that is not there, or no longer: what else is followed goes on. */
  function lose(stream: Stream, id: number): void {
    stream.queue.push(eventText('gone', { session: stream.follows.get(id) }))
    if (stream.isOfOne) leave(stream)
    else unfollow(stream, id)
  }

  function unfollow(stream: Stream, id: number): void {
    writer.leave(id)
    stream.follows.delete(id)
    followers.delete(id)
    starting.get(id)?.()
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

  function closeStreams(): void {
    for (const stream of [...streams]) leave(stream)
  }

  /** Follows a log; resolves when it is known where it begins, or why not. */
  function follow(stream: Stream, { session, from }: Followed): Promise<Answer | undefined> {
    const id = ++lastId
    stream.follows.set(id, session)
    followers.set(id, stream)
    return new Promise((resolve) => {
      starting.set(id, (refused) => {
        starting.delete(id)
        resolve(refused)
      })
      writer.follow(id, session, from)
    })
  }

  return {
    async open({ sessions, stays, until, reader }) {
      if (streams.size >= mostStreams) return errorAnswer(TOO_MANY)
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
      stream.queue.push(RETRY)
      if (index) stream.queue.push(eventText('index', index))
      const missed = recent.filter(({ at }) => performance.now() - at < MISSED_MS)
      if (missed.length > 0)
        stream.queue.push(eventText('change', { sessions: missed.flatMap(({ sessions }) => sessions) }))
      const [refused] = await Promise.all(sessions.map((one) => follow(stream, one)))
      return stream.isOfOne && refused ? refused : stream.queue.stream(end)
    },
    hear,
    progress: (op, doneBytes, totalBytes) => tellAll('progress', { op, doneBytes, totalBytes }),
    closeStreams,
    close() {
      clearInterval(timer)
      closeStreams()
    },
  }
}

function eventText(event: string, data: object): string {
  return `event: ${event}\ndata: ${resultText(data)}\n\n`
}
