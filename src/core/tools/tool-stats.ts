/** Which calls count, and who hears of those that do. */
export interface ToolStatsOptions {
  readonly isWanted: (atMs: number | null) => boolean
  readonly onCall: (atMs: number | null) => void
}

/** A call, or the row that answers one, as far as figures need it: plain data, which can be kept. */
export type ToolEvent = CallEvent | AnswerEvent

interface CallEvent {
  readonly id: string
  readonly name: string
  readonly atMs: number | null
  /** The file that it touches. */
  readonly path: string | null
}

interface AnswerEvent {
  readonly id: string
  readonly resultBytes: number
  readonly isError: boolean
  /** How long the client says that it took. */
  readonly notedMs: number | null
  readonly atMs: number | null
}

interface Call extends CallEvent {
  readonly session: string
}

interface Tool {
  calls: number
  errors: number
  resultBytes: number
  readonly times: Sample
}

type Touch = 'edits' | 'writes' | 'reads'

const TOUCHES: ReadonlyMap<string, Touch> = new Map([
  ['Read', 'reads'],
  ['NotebookRead', 'reads'],
  ['Write', 'writes'],
  ['Edit', 'edits'],
  ['MultiEdit', 'edits'],
  ['NotebookEdit', 'edits'],
])

/** Counts the tool calls of all logs, each once by its id, with their results. Keeps numbers, names and paths, no texts. */
export class ToolStatsFold {
  readonly #options: ToolStatsOptions
  /** Calls that wait for their result; `null` for those that have it, or do not count. */
  readonly #calls = new Map<string, Call | null>()
  readonly #tools = new Map<string, Tool>()
  readonly #files = new Map<string, Record<Touch, number> & { readonly sessions: Set<string> }>()

  constructor(options: ToolStatsOptions) {
    this.#options = options
  }

  /** Takes in the events of one log. */
  add(events: readonly ToolEvent[], session: string): void {
    for (const event of events) {
      if ('name' in event) this.#addCall(event, session)
      else this.#addAnswer(event)
    }
  }

  /** How each tool did, the most used first. The error rate is from 0 to 1, the bytes are those of the text that the model was given. */
  tools() {
    const tools = [...this.#tools].map(([name, { calls, errors, resultBytes, times }]) => ({
      name,
      calls,
      errors,
      errorRate: errors / calls,
      medianMs: times.quantile(0.5),
      p95Ms: times.quantile(0.95),
      resultBytes,
    }))
    return tools.sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
  }

  /** How often files were changed and read, and in how many sessions: those changed most often first, then those read most often. */
  files() {
    const files = [...this.#files].map(([path, file]) => ({ path, ...file, sessions: file.sessions.size }))
    const changes = ({ edits, writes }: Record<Touch, number>) => edits + writes
    return files.sort((a, b) => changes(b) - changes(a) || b.reads - a.reads || (a.path < b.path ? -1 : 1))
  }

  #addCall(call: CallEvent, session: string): void {
    const { id, name, atMs } = call
    if (this.#calls.has(id)) return
    const isWanted = this.#options.isWanted(atMs)
    this.#calls.set(id, isWanted ? { ...call, session } : null)
    if (!isWanted) return
    const tool = this.#tools.get(name) ?? { calls: 0, errors: 0, resultBytes: 0, times: new Sample() }
    this.#tools.set(name, tool)
    tool.calls += 1
    this.#options.onCall(atMs)
  }

  #addAnswer({ id, resultBytes, isError, notedMs, atMs }: AnswerEvent): void {
    const call = this.#calls.get(id)
    const tool = call && this.#tools.get(call.name)
    if (!tool) return
    this.#calls.set(id, null)
    tool.resultBytes += resultBytes
    const tookMs = notedMs ?? (atMs ?? Number.NaN) - (call.atMs ?? Number.NaN)
    if (tookMs >= 0) tool.times.add(id, tookMs)
    if (isError) tool.errors += 1
    else this.#touch(call)
  }

  #touch({ name, path, session }: Call): void {
    const touch = TOUCHES.get(name)
    if (path === null || touch === undefined) return
    const file = this.#files.get(path) ?? { edits: 0, writes: 0, reads: 0, sessions: new Set<string>() }
    this.#files.set(path, file)
    file[touch] += 1
    file.sessions.add(session)
  }
}

/** How many values a sample keeps. */
export const SAMPLE_SIZE = 2048

/**
 * A bounded sample, for medians of any number of values. It keeps the values whose keys hash lowest, so that the same values
 * give the same sample in whatever order they come.
 */
export class Sample {
  #kept: { readonly rank: number; readonly value: number }[] = []

  add(key: string, value: number): void {
    this.#kept.push({ rank: hashOf(key), value })
    if (this.#kept.length >= 2 * SAMPLE_SIZE) this.#cut()
  }

  /** The value below which this part of the sample lies, rounded; `null` where there is none. */
  quantile(part: number): number | null {
    this.#cut()
    const values = this.#kept.map(({ value }) => value).sort((a, b) => a - b)
    const at = (values.length - 1) * part
    const low = values[Math.floor(at)]
    const high = values[Math.ceil(at)]
    return low === undefined || high === undefined ? null : Math.round(low + (high - low) * (at - Math.floor(at)))
  }

  #cut(): void {
    if (this.#kept.length <= SAMPLE_SIZE) return
    this.#kept.sort((a, b) => a.rank - b.rank || a.value - b.value)
    this.#kept.length = SAMPLE_SIZE
  }
}

/** FNV-1a with the final mixing of Murmur: ids that differ only in their last letters must fall far apart. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
