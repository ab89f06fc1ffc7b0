import { blocksOf } from '../core/content.ts'
import { booleanAt, objectAt, stringAt, textAt } from '../core/json.ts'
import { isUtf16 } from '../core/log.ts'
import type { Place } from '../core/place.ts'
import { type LogRecord, readLine } from '../core/record.ts'
import { type Searchable, searchableText } from '../core/searchable.ts'
import * as at from '../core/skim/layout.ts'
import { type SkimBatch, skimLog } from '../core/skim/skim-log.ts'
import { Skimmer } from '../core/skim/skimmer.ts'
import { type SkimmedText, skimText } from '../core/skim/texts.ts'
import { timeOf } from '../core/time.ts'
import { partsOf } from '../core/words.ts'
import { type LogPosition, sha256Hash } from '../disk/log-file.ts'
import { startOf } from '../disk/read-start.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { copyKey } from './copy-key.ts'
import { type AnsweredCall, type MadeCall, type TextBatch, TextBatchBuilder } from './text-batch.ts'

/** A stretch of a log whose text is wanted: the whole lines between two places. */
export interface TextJob {
  readonly entry: SourceEntry
  readonly from: LogPosition
  readonly to: number
}

export interface TextOptions {
  /** Only records of lines that begin at these offsets; calls are told of all. */
  readonly only?: ReadonlySet<number>
  /** Whether the parts of words are wanted too. */
  readonly parts?: boolean
}

/** About so many bytes of log are read at a time. */
const STRETCH_BYTES = 8 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

const NOTHING = new Uint8Array(0)
const encoder = new TextEncoder()

// One for all logs of a thread: reading is synchronous.
let skimmer: Skimmer | undefined

/** Reads the searched text of the next stretch of a log, by skim where lines are plain; `undefined` when the log is gone. */
export function readTexts(
  source: Source,
  { entry, from, to }: TextJob,
  options: TextOptions = {},
): TextBatch | undefined {
  if (from.offset === 0 && isUtf16(startOf(source, entry, 4) ?? NOTHING)) {
    return new TextBatchBuilder().batch({ offset: to, line: 0 }, true)
  }
  skimmer ??= new Skimmer(CHUNK_BYTES)
  // A line that is longer than a stretch is read to its end.
  for (let bytes = STRETCH_BYTES; ; bytes *= 4) {
    const stop = Math.min(to, from.offset + bytes)
    const reader = new TextReader(skimmer, entry.path, options)
    let isGone = false
    const read = (into: Uint8Array, position: number): number => {
      const wanted = into.subarray(0, Math.max(0, stop - position))
      let filled = 0
      while (filled < wanted.length) {
        const count = source.read(entry, position + filled, wanted.subarray(filled))
        isGone ||= count === undefined
        if (!count) break
        filled += count
      }
      return filled
    }
    const listener = { rows: (batch: SkimBatch) => reader.take(batch), oversize: () => {} }
    const end = skimLog(skimmer, read, listener, { from, hash: sha256Hash })
    if (isGone) return undefined
    if (end.offset > from.offset || stop === to) return reader.made.batch(end, stop === to)
  }
}

/** Takes the rows of a skim for their text. */
class TextReader {
  readonly made = new TextBatchBuilder()
  readonly #skimmer: Skimmer
  readonly #file: string
  readonly #options: TextOptions

  constructor(skimmer: Skimmer, file: string, options: TextOptions) {
    this.#skimmer = skimmer
    this.#file = file
    this.#options = options
  }

  /** A line without its newline may still change, and is left for later. */
  take(batch: SkimBatch): void {
    if (!batch.complete) return
    const skimmer = this.#skimmer
    for (let row = 0; row < batch.rows; row++) {
      const place = {
        file: this.#file,
        line: batch.line + skimmer.lineNumber(row) + 1,
        offset: batch.offset + skimmer.offset(row),
        length: skimmer.length(row),
      }
      if (skimmer.isPlain(row) && this.#takePlain(row, place)) continue
      for (const record of readLine(skimmer.line(row), place).value) this.#takeRecord(record)
    }
  }

  /** Says no where the parser has to read the line. */
  #takePlain(row: number, place: Place): boolean {
    const skimmer = this.#skimmer
    const isWanted = this.#isWanted(place)
    if (!isWanted && !hasCalls(skimmer, row)) return true
    const found = skimText(skimmer, row)
    if (found === 'left') return false
    this.made.records += 1
    if (!found) return true
    const { calls, answers } = skimmedCalls(skimmer, row, found)
    const { tools, files } = found
    if (!isWanted) {
      this.made.addCalls({ target: files[0] ?? null, calls, answers })
      return true
    }
    // Memory that grows is another memory: both are asked for before either is looked at.
    const parts = this.#options.parts ? found.parts : NOTHING
    const { text } = found
    const isAssistant = skimmer.name(row, at.TYPE) === 'assistant'
    const messageId = isAssistant ? skimmer.id(row, at.MESSAGE_ID) || undefined : undefined
    const time = skimmer.number(row, at.TIME)
    this.made.add(
      place,
      {
        time: Number.isNaN(time) ? null : time,
        role: found.role,
        kind: found.kind,
        tool: tools[0] ?? null,
        target: files[0] ?? null,
        model: skimmer.name(row, at.MODEL) || null,
        branch: skimmer.name(row, at.GIT_BRANCH) || null,
        isError: found.isError,
        copy: copyKey({ messageId, uuid: skimmer.uuid(row, at.UUID), text }),
        calls,
        answers,
      },
      text,
      parts,
    )
    return true
  }

  #takeRecord(record: LogRecord): void {
    this.made.records += 1
    const found = searchableText(record)
    if (!found || found.text === '') return
    const { raw, place } = record
    const { calls, answers } = recordCalls(record, found)
    const target = found.files[0] ?? null
    if (!this.#isWanted(place)) {
      this.made.addCalls({ target, calls, answers })
      return
    }
    const text = encoder.encode(found.text)
    const time = Date.parse(timeOf(stringAt(raw, 'timestamp') ?? '') ?? '')
    const message = objectAt(raw, 'message')
    const messageId = record.type === 'assistant' ? textAt(message, 'id') : undefined
    this.made.add(
      place,
      {
        time: Number.isNaN(time) ? null : time,
        role: found.role,
        kind: found.kind,
        tool: found.tools[0] ?? null,
        target,
        model: textAt(message, 'model') ?? null,
        branch: textAt(raw, 'gitBranch') ?? null,
        isError: found.isError,
        copy: copyKey({ messageId, uuid: textAt(raw, 'uuid'), text }),
        calls,
        answers,
      },
      text,
      this.#options.parts ? encoder.encode(partsOf(found.text)) : NOTHING,
    )
  }

  #isWanted({ offset }: Place): boolean {
    return this.#options.only?.has(offset) ?? true
  }
}

interface Calls {
  readonly calls: readonly MadeCall[]
  readonly answers: readonly AnsweredCall[]
}

function isCall(kind: number): boolean {
  return kind === at.CALL_BLOCK || kind === at.SERVER_CALL_BLOCK
}

function hasCalls(skimmer: Skimmer, row: number): boolean {
  for (let i = 0; i < skimmer.blockCount(row); i++) if (isCall(skimmer.blockKind(row, i))) return true
  return false
}

/** What an error says of itself is text alone. */
function skimmedCalls(skimmer: Skimmer, row: number, { kind: what }: SkimmedText): Calls {
  const calls: MadeCall[] = []
  const answers: AnsweredCall[] = []
  const count = what === 'error' ? 0 : skimmer.blockCount(row)
  for (let i = 0; i < count; i++) {
    const { kind, id, name, isError } = skimmer.block(row, i)
    if (!id) continue
    if (isCall(kind)) calls.push({ id, tool: name || null })
    else if (kind === at.RESULT_BLOCK || kind === at.SERVER_RESULT_BLOCK) answers.push({ id, isError })
  }
  return { calls, answers }
}

function recordCalls({ raw }: LogRecord, { toolUseIds }: Searchable): Calls {
  const calls: MadeCall[] = []
  const answers: AnsweredCall[] = []
  for (const block of toolUseIds.length === 0 ? [] : blocksOf(raw)) {
    const type = stringAt(block, 'type') ?? ''
    const [called, answered] = [textAt(block, 'id'), textAt(block, 'tool_use_id')]
    if (called && type.endsWith('tool_use')) calls.push({ id: called, tool: textAt(block, 'name') ?? null })
    else if (answered && type.endsWith('tool_result')) {
      answers.push({ id: answered, isError: booleanAt(block, 'is_error') ?? false })
    }
  }
  return { calls, answers }
}
