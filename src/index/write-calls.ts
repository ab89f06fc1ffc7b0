import { type Database, prepared, type SqlValue, type Statement } from './driver.ts'
import { Inserts } from './inserts.ts'
import type { Names } from './names.ts'
import type { PlacedAnswer, PlacedCall } from './text-batch.ts'

const MADE = ['tool', 'by_api', 'target', 'line', 'offset', 'length', 'time'] as const
const ANSWERED = [
  ...['answer_line', 'answer_offset', 'answer_length', 'ended', 'took'],
  ...['is_error', 'result_bytes', 'added', 'removed'],
] as const

/** A call, and what answered it, as values of their columns; without a call, an answer stands alone. */
interface KnownCall {
  made: readonly SqlValue[] | null
  answered: readonly SqlValue[] | null
}

/** The tool and the file that a call is about, by their numbers. */
export interface CallNames {
  readonly tool: number | null
  readonly target: number | null
}

/** Writes the calls of logs, each with what answered it. */
export class CallWriter {
  readonly #names: Names
  readonly #known: Statement
  readonly #calls: Inserts

  constructor(database: Database, names: Names) {
    this.#names = names
    this.#known = prepared(database, KNOWN)
    this.#calls = new Inserts(database, 'or replace into call', ['log', 'tool_use', ...MADE, ...ANSWERED])
  }

  /** Adds what a stretch of a log calls and answers, in its order, and gives the call that each doc answers first. */
  add(log: number, placed: readonly (PlacedCall | PlacedAnswer)[]): ReadonlyMap<number, CallNames> {
    const answeredBy = new Map<number, CallNames>()
    if (placed.length === 0) return answeredBy
    const calls = this.#read(log, placed)
    const changed = new Set<string>()
    for (const one of placed) {
      const call = calls.get(one.id) ?? { made: null, answered: null }
      calls.set(one.id, call)
      if (one.what === 'call' ? this.#make(call, one) : answer(call, one)) changed.add(one.id)
      if (one.what === 'answer' && one.doc !== -1 && !answeredBy.has(one.doc)) answeredBy.set(one.doc, namesOf(call))
    }
    for (const id of changed) {
      const { made, answered } = calls.get(id) as KnownCall
      this.#calls.add(log, id, ...(made ?? NOT_MADE), ...(answered ?? NOT_ANSWERED))
    }
    this.#calls.flush()
    return answeredBy
  }

  /** Forgets what is on its way into the table. */
  forget(): void {
    this.#calls.forget()
  }

  #read(log: number, placed: readonly { readonly id: string }[]): Map<string, KnownCall> {
    const rows = this.#known.all(log, JSON.stringify(placed.map(({ id }) => id)))
    return new Map(
      rows.map((row) => {
        const made = row.offset === null ? null : MADE.map((name) => row[name] as SqlValue)
        const answered = row.answer_offset === null ? null : ANSWERED.map((name) => row[name] as SqlValue)
        return [row.tool_use as string, { made, answered }]
      }),
    )
  }

  /** A call counts once. What answers it comes behind it: an answer that was there before is none of its own. */
  #make(call: KnownCall, { tool, isByApi, path, line, offset, length, time }: PlacedCall): boolean {
    if (call.made) return false
    const [toolId, target] = [this.#names.id(tool), this.#names.id(path)]
    call.made = [toolId, Number(isByApi), target, line, offset, length, time]
    call.answered = null
    return true
  }
}

/** The first answer counts. */
function answer(call: KnownCall, one: PlacedAnswer): boolean {
  if (call.answered) return false
  const { line, offset, length, time, tookMs, isError, resultBytes, added, removed } = one
  call.answered = [line, offset, length, time, tookMs, Number(isError), resultBytes, added, removed]
  return true
}

function namesOf({ made }: KnownCall): CallNames {
  return { tool: (made?.[0] as number | null) ?? null, target: (made?.[2] as number | null) ?? null }
}

const NOT_MADE = MADE.map(() => null)
const NOT_ANSWERED = ANSWERED.map(() => null)

const KNOWN = `
select tool_use, ${[...MADE, ...ANSWERED].join(', ')} from call
where log = ? and tool_use in (select value from json_each(?))`
