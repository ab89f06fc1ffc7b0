import { callsAnswered, callsMade } from '../core/facts/call-rows.ts'
import { textKey } from '../core/facts/row-key.ts'
import { type JsonObject, objectAt, objectsAt, stringAt, textAt } from '../core/json.ts'
import { MAX_LINE_BYTES } from '../core/log/lines.ts'
import { isOneRecord, isUtf16 } from '../core/log/log.ts'
import type { Place } from '../core/log/place.ts'
import { type LogRecord, readLine } from '../core/log/record.ts'
import type { RowKind } from '../core/log/row-kind.ts'
import { searchableText } from '../core/search/searchable.ts'
import { partsOf } from '../core/search/words.ts'
import * as at from '../core/skim/layout.ts'
import { type SkimBatch, skimLog } from '../core/skim/skim-log.ts'
import { Skimmer } from '../core/skim/skimmer.ts'
import { skimText } from '../core/skim/texts.ts'
import { timeOf } from '../core/time.ts'
import { nodeOf, type TreeNode } from '../core/tree/node.ts'
import { fill } from '../disk/fill.ts'
import { type LogPosition, sha256Hash } from '../disk/log-file.ts'
import { startOf } from '../disk/read-start.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { copyKey } from './copy-key.ts'
import { hasCalls, skimmedCalls } from './skimmed-calls.ts'
import { type RowCalls, type SpokenRow, type TextBatch, TextBatchBuilder } from './text-batch.ts'

/** A stretch of a log whose text is wanted: the lines between two places. */
export interface TextJob {
  readonly entry: SourceEntry
  readonly from: LogPosition
  readonly to: number
}

/** The same for an index. */
export interface IndexJob extends TextJob {
  readonly makes: 'index' | 'calls'
}

export interface TextOptions {
  /** Only records of lines that begin at these offsets; calls are told of all. */
  readonly only?: ReadonlySet<number>
  /**
   * What is made: `lines`, which is their texts alone; `texts` and the names of calls; all that is kept in a whole `index`; or the same
   * without records that can be found: `calls`, and places.
   */
  readonly makes?: 'lines' | 'texts' | 'index' | 'calls'
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
    const reader = new TextReader(entry.path, options, new TextBatchBuilder(), skimmer)
    let isGone = false
    const read = (into: Uint8Array, position: number): number => {
      const wanted = into.subarray(0, Math.max(0, stop - position))
      const filled = fill((at, rest) => source.read(entry, at, rest), position, wanted)
      isGone ||= filled === undefined
      return filled ?? 0
    }
    const listener = {
      rows: (batch: SkimBatch) => {
        if (batch.complete) reader.take(batch)
        else if (stop === to) reader.takeLast(batch)
      },
      oversize: () => {},
    }
    const end = skimLog(skimmer, read, listener, { from, hash: sha256Hash })
    if (isGone) return undefined
    if (end.offset > from.offset || stop === to) return reader.made.batch(end, stop === to)
  }
}

/** Where a line of a log begins; lines are counted from 1. */
export interface LineStart {
  readonly offset: number
  readonly line: number
}

/** Reads the searched text of some lines alone, up to a place in their log; `undefined` when the log is gone. */
export function readTextsOf(
  source: Source,
  { entry, to }: Pick<TextJob, 'entry' | 'to'>,
  lines: readonly LineStart[],
): TextBatch | undefined {
  const reader = new LineReader(entry.path, { makes: 'lines' }, new TextBatchBuilder(LINE_BYTES))
  let buffer = Buffer.allocUnsafe(LINE_BYTES)
  for (const { offset, line } of lines) {
    for (;;) {
      const wanted = buffer.subarray(0, Math.max(0, to - offset))
      const filled = fill((at, rest) => source.read(entry, at, rest), offset, wanted)
      if (filled === undefined) return undefined
      const end = buffer.subarray(0, filled).indexOf(0x0a)
      const length = end === -1 ? filled : end
      const place = { file: entry.path, line, offset, length }
      const isRead = end !== -1 || filled < buffer.length
      if (isRead) reader.takeLine(buffer.subarray(0, length), place, end !== -1)
      if (isRead || buffer.length > MAX_LINE_BYTES) break
      buffer = Buffer.allocUnsafe(4 * buffer.length)
    }
  }
  return reader.made.batch({ offset: to, line: 0 }, true)
}

/** So much is read for a line at first: most are shorter. */
export const LINE_BYTES = 16 * 1024

/** Takes lines for their text. */
class LineReader {
  readonly made: TextBatchBuilder
  protected readonly file: string
  readonly #options: TextOptions

  constructor(file: string, options: TextOptions, made: TextBatchBuilder) {
    this.made = made
    this.file = file
    this.#options = options
  }

  /** A last line without its newline counts where it is a record, as it does for the facts; it is read again when the log has grown. */
  takeLine(bytes: Uint8Array, place: Place, isWhole: boolean): void {
    const { value, diagnostics } = readLine(bytes, place)
    if (isWhole || isOneRecord(value, diagnostics)) for (const record of value) this.#takeRecord(record)
  }

  #takeRecord(record: LogRecord): void {
    this.made.records += 1
    const { raw, place, type } = record
    const time = timeAt(raw)
    const node = this.isKept ? nodeOf(record) : undefined
    if (node && !OTHER_KINDS.has(node.kind)) this.addPlace(node.kind, place, spokenRow(node, time))
    if (node && objectsAt(raw, 'todos').length > 0) this.addPlace('todos', place)
    if (isCheckpoint(type)) this.addPlace('checkpoint', place)
    const calls = this.makes === 'lines' ? NO_CALLS : { calls: callsMade(record), answers: callsAnswered(record) }
    const found = this.isWanted(place) ? searchableText(record) : undefined
    if (!found || found.text === '') {
      this.made.addCalls(place, time, calls)
      return
    }
    const text = encoder.encode(found.text)
    const message = objectAt(raw, 'message')
    const messageId = type === 'assistant' ? textAt(message, 'id') : undefined
    this.made.add(
      {
        line: place.line,
        offset: place.offset,
        length: place.length,
        time,
        role: found.role,
        kind: found.kind,
        tool: found.tools[0] ?? null,
        target: found.files[0] ?? null,
        model: textAt(message, 'model') ?? null,
        branch: textAt(raw, 'gitBranch') ?? null,
        isError: found.isError,
        copy: copyKey({ messageId, uuid: textAt(raw, 'uuid'), text }),
      },
      calls,
      text,
      this.makes === 'index' ? encoder.encode(partsOf(found.text)) : NOTHING,
    )
  }

  protected get makes(): Exclude<TextOptions['makes'], undefined> {
    return this.#options.makes ?? 'texts'
  }

  /** Whether it is made for tables, and not for one search. */
  protected get isKept(): boolean {
    return this.makes === 'index' || this.makes === 'calls'
  }

  protected addPlace(kind: string, place: Place, row: SpokenRow | null = null): void {
    if (this.isKept) this.made.addPlace(kind, place, row)
  }

  protected isWanted({ offset }: Place): boolean {
    return this.makes !== 'calls' && (this.#options.only?.has(offset) ?? true)
  }
}

/** Takes the rows of a skim too, without parsing those that are plain. */
class TextReader extends LineReader {
  readonly #skimmer: Skimmer

  constructor(file: string, options: TextOptions, made: TextBatchBuilder, skimmer: Skimmer) {
    super(file, options, made)
    this.#skimmer = skimmer
  }

  take(batch: SkimBatch): void {
    const skimmer = this.#skimmer
    for (let row = 0; row < batch.rows; row++) {
      const place = this.#placeOf(batch, row)
      if (skimmer.isPlain(row) && this.#takePlain(row, place)) continue
      this.takeLine(skimmer.line(row), place, true)
    }
  }

  takeLast(batch: SkimBatch): void {
    this.takeLine(this.#skimmer.line(0), this.#placeOf(batch, 0), false)
  }

  #placeOf({ line, offset }: SkimBatch, row: number): Place {
    const skimmer = this.#skimmer
    return {
      file: this.file,
      line: line + skimmer.lineNumber(row) + 1,
      offset: offset + skimmer.offset(row),
      length: skimmer.length(row),
    }
  }

  /** Says no where the parser has to read the line. */
  #takePlain(row: number, place: Place): boolean {
    const skimmer = this.#skimmer
    const type = skimmer.name(row, at.TYPE)
    if (isCheckpoint(type)) this.addPlace('checkpoint', place)
    if (skimmer.has(row, at.IS_API_ERROR)) this.addPlace('api-error', place, skimmedRow(skimmer, row))
    const isWanted = this.isWanted(place)
    const isCalling = hasCalls(skimmer, row, isWanted || this.isKept)
    if (!isWanted && !isCalling) return true
    const found = skimText(skimmer, row)
    if (found === 'left') return false
    const files = found?.files ?? []
    const skimmed = isCalling ? skimmedCalls(skimmer, row, files, this.isKept) : NO_CALLS
    if (skimmed === 'left') return false
    this.made.records += 1
    const time = skimmer.number(row, at.TIME)
    const timeMs = Number.isNaN(time) ? null : time
    if (!isWanted || !found) {
      this.made.addCalls(place, timeMs, skimmed)
      return true
    }
    // Memory that grows is another memory: both are asked for before either is looked at.
    const parts = this.makes === 'index' ? found.parts : NOTHING
    const { text } = found
    const messageId = type === 'assistant' ? skimmer.id(row, at.MESSAGE_ID) || undefined : undefined
    const uuid = messageId === undefined ? skimmer.uuid(row, at.UUID) : undefined
    // Named one by one: spreading costs ten times as much, for every row of every log.
    this.made.add(
      {
        line: place.line,
        offset: place.offset,
        length: place.length,
        time: timeMs,
        role: found.role,
        kind: found.kind,
        tool: found.tool,
        target: files[0] ?? null,
        model: skimmer.name(row, at.MODEL) || null,
        branch: skimmer.name(row, at.GIT_BRANCH) || null,
        isError: found.isError,
        copy: copyKey({ messageId, uuid, text }),
      },
      skimmed,
      text,
      parts,
    )
    return true
  }
}

const NO_CALLS: RowCalls = { calls: [], answers: [] }

/** Responses and answers are known by their calls and their tokens, the rest is what the client does for itself. */
const OTHER_KINDS: ReadonlySet<RowKind> = new Set([
  'response',
  'synthetic',
  'tool-result',
  'attachment',
  'progress',
  'system',
])

function spokenRow(node: TreeNode, time: number | null): SpokenRow {
  return {
    time,
    key: node.uuid === '' ? null : textKey(node.uuid),
    parent: node.parent === null ? null : textKey(node.parent),
    isSidechain: node.isSidechain,
    isFork: node.forkedFrom !== null,
    isCustom: node.command?.isCustom ?? false,
  }
}

/** The same of a plain row, which is no command. */
function skimmedRow(skimmer: Skimmer, row: number): SpokenRow {
  const time = skimmer.number(row, at.TIME)
  return {
    time: Number.isNaN(time) ? null : time,
    key: skimmer.has(row, at.HAS_UUID) ? skimmer.number(row, at.KEY) : null,
    parent: skimmer.has(row, at.HAS_PARENT) ? skimmer.number(row, at.PARENT_KEY) : null,
    isSidechain: skimmer.has(row, at.IS_SIDECHAIN),
    isFork: (skimmer.name(row, at.FORKED_FROM) ?? '') !== '',
    isCustom: false,
  }
}

function timeAt(raw: JsonObject): number | null {
  const time = Date.parse(timeOf(stringAt(raw, 'timestamp') ?? '') ?? '')
  return Number.isNaN(time) ? null : time
}

function isCheckpoint(type: string | undefined): boolean {
  return type === 'file-history-snapshot' || type === 'file-history-delta'
}
