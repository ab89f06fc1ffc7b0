import type { CallAnswer, MadeCall } from '../core/facts/call-rows.ts'
import type { LogPosition } from '../disk/log-file.ts'

/** A stretch of a log made ready for the index: few large pieces, so that it goes from thread to thread without being copied. */
export interface TextBatch {
  /** Behind the last whole line that was read. */
  readonly end: LogPosition
  /** No whole line is left in what was asked for. */
  readonly isEnd: boolean
  readonly records: number
  /** The numbers of all docs, one doc behind the other; `docAt` reads them. */
  readonly numbers: Float64Array<ArrayBuffer>
  readonly names: readonly string[]
  /** The words of all docs as UTF-8, two texts each: as they are, and their parts. */
  readonly texts: Uint8Array<ArrayBuffer>
  /** Where each of those texts ends. */
  readonly ends: Uint32Array<ArrayBuffer>
  readonly calls: readonly (PlacedCall | PlacedAnswer)[]
  readonly places: readonly KindPlace[]
}

/** A record that can be found: its place, and what filters ask for. */
export interface Doc {
  readonly line: number
  readonly offset: number
  readonly length: number
  readonly time: number | null
  readonly role: string
  readonly kind: string
  readonly tool: string | null
  /** The path that a tool call is about. */
  readonly target: string | null
  readonly model: string | null
  readonly branch: string | null
  readonly isError: boolean
  readonly copy: number
}

/** A row that is read back from its log when it is asked for, by what it is; a row of the tree has more. */
export interface KindPlace extends RowPlace {
  readonly kind: string
  readonly row: SpokenRow | null
}

/** What is known of a row that is neither a response nor the answer of a tool. Uuids are kept by their keys (`textKey`). */
export interface SpokenRow {
  readonly time: number | null
  readonly key: number | null
  readonly parent: number | null
  readonly isSidechain: boolean
  readonly isFork: boolean
  /** A command that a person made. */
  readonly isCustom: boolean
}

/** Where a row stands in its log. */
export type RowPlace = Pick<Doc, 'line' | 'offset' | 'length'>

/** The calls that a row makes and answers. */
export interface RowCalls {
  readonly calls: readonly MadeCall[]
  readonly answers: readonly CallAnswer[]
}

interface OfARow extends RowPlace {
  /** The number of its doc; -1 where it has none. */
  readonly doc: number
  readonly time: number | null
}

/** A call, and where it was made. */
export interface PlacedCall extends OfARow, MadeCall {
  readonly what: 'call'
}

/** The answer to a call, which comes later. */
export interface PlacedAnswer extends OfARow, CallAnswer {
  readonly what: 'answer'
}

const COLUMNS = 12

/** One of the docs of a batch. */
export function docAt({ numbers, names }: TextBatch, i: number): Doc {
  const number = (column: number) => numbers[i * COLUMNS + column] as number
  const name = (column: number) => names[number(column)] ?? null
  const time = number(3)
  return {
    line: number(0),
    offset: number(1),
    length: number(2),
    time: Number.isNaN(time) ? null : time,
    role: name(4) as string,
    kind: name(5) as string,
    tool: name(6),
    target: name(7),
    model: name(8),
    branch: name(9),
    isError: number(10) === 1,
    copy: number(11),
  }
}

/** How many docs a batch has. */
export function docCount({ ends }: TextBatch): number {
  return ends.length / 2
}

/** The text of a doc, in UTF-8. */
export function textOfDoc({ texts, ends }: TextBatch, i: number): Uint8Array {
  return texts.subarray(i === 0 ? 0 : ends[2 * i - 1], ends[2 * i])
}

/** The parts of a doc's words, in UTF-8. */
export function partsOfDoc({ texts, ends }: TextBatch, i: number): Uint8Array {
  return texts.subarray(ends[2 * i], ends[2 * i + 1])
}

/** Puts docs one behind the other. */
export class TextBatchBuilder {
  records = 0
  readonly #numbers: number[] = []
  readonly #names = new Map<string, number>()
  readonly #calls: (PlacedCall | PlacedAnswer)[] = []
  readonly #places: KindPlace[] = []
  #texts: Uint8Array<ArrayBuffer>
  #length = 0
  readonly #ends: number[] = []

  constructor(sizeBytes = 256 * 1024) {
    this.#texts = new Uint8Array(sizeBytes)
  }

  add(doc: Doc, calls: RowCalls, text: Uint8Array, parts: Uint8Array): void {
    this.addCalls(doc, doc.time, calls, this.#ends.length / 2)
    this.#numbers.push(
      doc.line,
      doc.offset,
      doc.length,
      doc.time ?? Number.NaN,
      this.#name(doc.role),
      this.#name(doc.kind),
      this.#name(doc.tool),
      this.#name(doc.target),
      this.#name(doc.model),
      this.#name(doc.branch),
      Number(doc.isError),
      doc.copy,
    )
    this.#put(text)
    this.#put(parts)
  }

  /** Notes the calls of a row; one without an id has its place for it. */
  addCalls({ line, offset, length }: RowPlace, time: number | null, { calls, answers }: RowCalls, doc = -1): void {
    for (const [i, { id, tool, path, isByApi }] of calls.entries()) {
      const name = id || `:${offset}:${i}`
      this.#calls.push({ what: 'call', doc, line, offset, length, time, id: name, tool, path, isByApi })
    }
    for (const { id, isError, resultBytes, tookMs, added, removed } of answers) {
      const told = {
        what: 'answer',
        doc,
        line,
        offset,
        length,
        time,
        id,
        isError,
        resultBytes,
        tookMs,
        added,
        removed,
      } as const
      this.#calls.push(told)
    }
  }

  addPlace(kind: string, { line, offset, length }: RowPlace, row: SpokenRow | null): void {
    this.#places.push({ kind, line, offset, length, row })
  }

  batch(end: LogPosition, isEnd: boolean): TextBatch {
    return {
      end,
      isEnd,
      records: this.records,
      numbers: new Float64Array(this.#numbers),
      names: [...this.#names.keys()],
      texts: this.#texts.slice(0, this.#length),
      ends: new Uint32Array(this.#ends),
      calls: this.#calls,
      places: this.#places,
    }
  }

  #name(text: string | null): number {
    if (text === null) return -1
    const known = this.#names.get(text)
    if (known !== undefined) return known
    this.#names.set(text, this.#names.size)
    return this.#names.size - 1
  }

  #put(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length
    if (needed > this.#texts.length) {
      const larger = new Uint8Array(Math.max(needed, this.#texts.length * 2))
      larger.set(this.#texts.subarray(0, this.#length))
      this.#texts = larger
    }
    this.#texts.set(bytes, this.#length)
    this.#length = needed
    this.#ends.push(needed)
  }
}
