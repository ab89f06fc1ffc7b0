import { setTimeout as sleep } from 'node:timers/promises'
import { followLog, type FollowEvent as LogEvent } from '../disk/follow.ts'
import { fileLibrary } from '../disk/one-file.ts'
import type { Source, SourceEntry } from '../disk/source.ts'

/** What happens to a session that is followed, and in whose log. */
export type FollowEvent = LogEvent & { readonly agent: string | null }

export interface FollowOptions {
  /** Its agents too, those that begin later from their first record on. */
  readonly agents?: boolean
  readonly signal?: AbortSignal
}

/** Agents that began are looked for as often as this. */
const LOOK_MS = 500

/** Follows the log of a session, and those of its agents, from where they end now. */
export async function* followSession(log: SourceEntry, options: FollowOptions = {}): AsyncGenerator<FollowEvent> {
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  const waiting: FollowEvent[] = []
  let wake = () => {}
  let isOver = false
  const tell = (event?: FollowEvent) => {
    if (event) waiting.push(event)
    wake()
  }
  const take = async (source: Source, entry: SourceEntry, agent: string | null, isNew: boolean) => {
    const from = isNew ? { from: { offset: 0, line: 0 } } : {}
    for await (const event of followLog(source, entry, { signal, ...from })) tell({ ...event, agent })
    // With its own log a session ends, whatever its agents still write.
    if (agent === null) isOver = true
    tell()
  }
  const files = fileLibrary(log.path)
  void take(files.source, log, null, false)
  if (options.agents) void takeAgents(log, signal, take)
  try {
    while (!signal.aborted) {
      yield* waiting.splice(0)
      if (isOver) return
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    }
  } finally {
    stop.abort()
    files.close()
  }
}

type Take = (source: Source, entry: SourceEntry, agent: string, isNew: boolean) => Promise<void>

async function takeAgents(log: SourceEntry, signal: AbortSignal, take: Take): Promise<void> {
  const known = new Set<string>()
  for (let isNew = false; !signal.aborted; isNew = true) {
    const library = fileLibrary(log.path)
    const session = library.sessions().find((one) => one.log?.path === log.path)
    for (const { id, log: own } of session?.agents ?? []) {
      if (!own || known.has(own.path)) continue
      known.add(own.path)
      void take(library.source, own, id, isNew)
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)
  }
}
