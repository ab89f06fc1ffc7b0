import { type JsonObject, stringAt } from '../json.ts'
import { type ToolUseBlock, toolResultsOf, toolUsesOf } from '../log/content.ts'
import type { Place } from '../log/place.ts'
import type { LogRecord } from '../log/record.ts'

/** A tool call with the row that answered it. */
export interface AnsweredCall extends ToolUseBlock {
  readonly place: Place
  readonly timestamp: string | null
  /** The row with the result; `undefined` where none came. */
  readonly answer: JsonObject | undefined
  readonly isError: boolean
}

/** Joins the calls of some tools with their results, in one pass over a log. */
export class ToolFold {
  readonly #wanted: (name: string) => boolean
  readonly #calls = new Map<string, AnsweredCall>()

  constructor(wanted: (name: string) => boolean) {
    this.#wanted = wanted
  }

  add(record: LogRecord): void {
    const { raw, place } = record
    if (record.type === 'assistant') {
      for (const use of toolUsesOf(raw)) {
        if (!this.#wanted(use.name) || this.#calls.has(use.id)) continue
        const timestamp = stringAt(raw, 'timestamp') ?? null
        this.#calls.set(use.id, { ...use, place, timestamp, answer: undefined, isError: false })
      }
    } else if (record.type === 'user' && this.#calls.size > 0) {
      for (const { toolUseId, isError } of toolResultsOf(raw)) {
        const call = this.#calls.get(toolUseId)
        if (call && !call.answer) this.#calls.set(toolUseId, { ...call, answer: raw, isError })
      }
    }
  }

  calls(): readonly AnsweredCall[] {
    return [...this.#calls.values()]
  }
}
