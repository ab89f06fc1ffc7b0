import { numberAt, parseJson, stringAt } from '../core/json.ts'

/** A session that a page follows, from the offset it has seen. */
export interface Followed {
  readonly session: string
  readonly from: number
}

/** How it stands with the server: heard, not there, or there for others only. */
export type Link = 'open' | 'lost' | 'signed-out'

/** What a page is told. */
export type Told =
  | { readonly kind: 'link'; readonly link: Link }
  | { readonly kind: 'event'; readonly name: string; readonly data: string }

/** A page that listens. */
export interface Member {
  follow(sessions: readonly Followed[]): void
  leave(): void
}

const NAMES = ['change', 'progress', 'index', 'rows', 'rewritten', 'gone']
const SOONEST_MS = 1000
const LATEST_MS = 5000

/**
 * One stream of events for many pages: a browser has six connections for one host, and each stream would take one. Connects
 * again when the server was away, and goes on where it was.
 */
export function openHub(): { join(tell: (told: Told) => void): Member } {
  const members = new Map<Member, { readonly tell: (told: Told) => void; follows: readonly Followed[] }>()
  /** How far each session was heard. */
  const heard = new Map<string, number>()
  let source: EventSource | undefined
  let link: Link = 'open'
  let index: string | undefined
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function tellAll(told: Told): void {
    for (const { tell } of members.values()) tell(told)
  }

  function setLink(now: Link): void {
    if (now !== link) tellAll({ kind: 'link', link: now })
    link = now
  }

  function connect(): void {
    clearTimeout(timer)
    timer = undefined
    const before = source
    source = undefined
    if (members.size === 0) {
      before?.close()
      return
    }
    const opened = new EventSource(addressOf(heard))
    source = opened
    opened.addEventListener('open', () => {
      before?.close()
      failures = 0
      setLink('open')
    })
    opened.addEventListener('error', () => {
      before?.close()
      opened.close()
      if (source === opened) void again()
    })
    for (const name of NAMES) {
      opened.addEventListener(name, ({ data }: MessageEvent<string>) => {
        note(name, data)
        tellAll({ kind: 'event', name, data })
      })
    }
  }

  function note(name: string, data: string): void {
    if (name === 'index') index = data
    const value = name === 'rows' ? parseJson(data) : undefined
    const [session, offset] = [stringAt(value, 'session'), numberAt(value, 'offset')]
    if (session !== undefined && offset !== undefined && heard.has(session)) heard.set(session, offset)
    // A log that is gone is followed again when something has changed: it may be back.
    if (name === 'gone') heard.delete(stringAt(parseJson(data), 'session') ?? '')
    else if (name === 'change') update()
  }

  /** A stream that fails does not say why: whoever asks for something small is told. */
  async function again(): Promise<void> {
    failures += 1
    const status = await fetch('/api/about').then(
      (answer) => answer.status,
      () => 0,
    )
    if (status !== 200) setLink(status === 401 ? 'signed-out' : 'lost')
    timer ??= setTimeout(connect, Math.min(LATEST_MS, SOONEST_MS * failures))
  }

  /** Connects anew where a page wants what the stream does not tell. */
  function update(): void {
    const wanted = new Map<string, number>()
    for (const { follows } of members.values()) {
      for (const { session, from } of follows) wanted.set(session, Math.min(from, wanted.get(session) ?? from))
    }
    let isMore = source === undefined && timer === undefined
    for (const session of heard.keys()) if (!wanted.has(session)) heard.delete(session)
    for (const [session, from] of wanted) {
      const at = heard.get(session)
      if (at !== undefined && at <= from) continue
      heard.set(session, from)
      isMore = true
    }
    if (isMore || members.size === 0) connect()
  }

  return {
    join(tell) {
      const member: Member = {
        follow(follows) {
          const own = members.get(member)
          if (!own) return
          own.follows = follows
          update()
        },
        leave() {
          members.delete(member)
          update()
        },
      }
      members.set(member, { tell, follows: [] })
      tell({ kind: 'link', link })
      if (index !== undefined) tell({ kind: 'event', name: 'index', data: index })
      update()
      return member
    },
  }
}

function addressOf(heard: ReadonlyMap<string, number>): string {
  const query = new URLSearchParams({ stay: 'true' })
  for (const [session, from] of heard) {
    query.append('session', session)
    query.append('from', String(from))
  }
  return `/api/events?${query}`
}
