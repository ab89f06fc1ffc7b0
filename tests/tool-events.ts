import { callsAnswered, callsMade } from '../src/core/facts/call-rows.ts'
import { type JsonObject, stringAt } from '../src/core/json.ts'
import type { LogRecord } from '../src/core/log/record.ts'
import { timeOf } from '../src/core/time.ts'
import type { ToolEvent } from '../src/core/tools/tool-stats.ts'

/** The calls of one log and their answers, in file order. An answer may stand in another log than its call. */
export class ToolEventFold {
  readonly #events: ToolEvent[] = []
  readonly #called = new Set<string>()
  /** Further answers never count, unless the call came in between. */
  readonly #answered = new Set<string>()

  add(record: LogRecord): void {
    if (record.type === 'assistant') this.#addCalls(record)
    else if (record.type === 'user') this.#addAnswers(record)
  }

  events(): readonly ToolEvent[] {
    return this.#events
  }

  #addCalls(record: LogRecord): void {
    const { raw, place } = record
    callsMade(record).forEach(({ id: named, tool, path, isByApi }, n) => {
      const id = named || `${place.file}:${place.offset}:${n}`
      if (isByApi || this.#called.has(id)) return
      this.#called.add(id)
      this.#answered.delete(id)
      this.#events.push({ id, name: tool, atMs: timeIn(raw), path })
    })
  }

  #addAnswers(record: LogRecord): void {
    for (const { id, resultBytes, isError, tookMs } of callsAnswered(record)) {
      if (this.#answered.has(id)) continue
      this.#answered.add(id)
      this.#events.push({ id, resultBytes, isError, notedMs: tookMs, atMs: timeIn(record.raw) })
    }
  }
}

function timeIn(raw: JsonObject): number | null {
  const ms = Date.parse(timeOf(stringAt(raw, 'timestamp') ?? '') ?? '')
  return Number.isNaN(ms) ? null : ms
}
