import { isObject, type JsonValue, stringAt } from '../core/json.ts'
import type { FactsCache } from './facts-cache.ts'
import { type Rest, stampOf } from './rest.ts'
import type { SourceEntry } from './source.ts'

/** An agent as a line of its session. */
export interface AgentLine {
  readonly id: string
  readonly class: string
  readonly type: string | null
  readonly description: string | null
}

interface Kept {
  readonly stamp: string
  readonly lines: readonly AgentLine[]
}

const KEY = 'agents of sessions'

/** Who the agents of each session are, as lists show them: kept together, while the files of a session stay as they are. */
export class AgentLines {
  readonly #cache: FactsCache | undefined
  readonly #rest: Rest
  /** By the path of the session's log. */
  #kept: Map<string, Kept> | undefined
  readonly #asked = new Map<string, Kept>()
  #isChanged = false

  constructor(cache: FactsCache | undefined, rest: Rest) {
    this.#cache = cache
    this.#rest = rest
  }

  /** The lines of a session with these files: kept, or made now, which may be refused. */
  of(
    session: string,
    files: readonly SourceEntry[],
    make: () => readonly AgentLine[] | undefined,
  ): readonly AgentLine[] | undefined {
    if (!this.#cache || !files.every((entry) => this.#rest.isSettled(entry))) return make()
    this.#kept ??= readKept(this.#cache.recall(KEY, ''))
    const stamp = stampOf(files)
    const known = this.#asked.get(session) ?? this.#kept.get(session)
    const isSame = known?.stamp === stamp
    const lines = isSame ? known.lines : make()
    if (!lines) return undefined
    this.#isChanged ||= !isSame
    this.#asked.set(session, { stamp, lines })
    return lines
  }

  /** Keeps those that were asked for; to be called when all were. */
  shelve(): void {
    if (this.#isChanged) this.#cache?.remember(KEY, '', Object.fromEntries([...this.#asked].map(toJson)))
    this.#isChanged = false
  }
}

function toJson([session, { stamp, lines }]: readonly [string, Kept]): readonly [string, JsonValue] {
  return [session, { stamp, lines: lines.map((line) => ({ ...line })) }]
}

function readKept(value: JsonValue | undefined): Map<string, Kept> {
  const kept = new Map<string, Kept>()
  for (const [session, entry] of Object.entries(isObject(value) ? value : {})) {
    const stamp = stringAt(entry, 'stamp')
    const lines = isObject(entry) ? entry.lines : undefined
    if (stamp !== undefined && Array.isArray(lines)) kept.set(session, { stamp, lines: lines.flatMap(readLine) })
  }
  return kept
}

function readLine(value: JsonValue): AgentLine[] {
  const id = stringAt(value, 'id')
  const kind = stringAt(value, 'class')
  if (id === undefined || kind === undefined) return []
  return [
    { id, class: kind, type: stringAt(value, 'type') ?? null, description: stringAt(value, 'description') ?? null },
  ]
}
