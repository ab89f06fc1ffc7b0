import { objectAt, stringAt, textAt } from '../core/json.ts'
import { LogReader } from '../core/log.ts'
import type { LogRecord } from '../core/record.ts'
import { searchableText } from '../core/searchable.ts'
import { partsOf } from '../core/words.ts'
import { advance, type Cursor } from '../disk/cursor.ts'
import { sha256Hash } from '../disk/log-file.ts'
import { readBuffer } from '../disk/read-buffer.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { copyKey } from './copy-key.ts'

/** A stretch of a log made ready for the index: plain data, so that a thread can make it. */
export interface Batch {
  readonly docs: readonly Doc[]
  /** The words of all docs as UTF-8, two texts each: as they are, and their parts. */
  readonly texts: Uint8Array
  /** Where each of those texts ends. */
  readonly ends: Uint32Array
  readonly records: number
  /** Where the log was read to. */
  readonly cursor: Cursor
  readonly isEnd: boolean
  /** The first folder and session that the stretch names. */
  readonly cwd: string | null
  readonly session: string | null
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
  readonly target: string | null
  /** The call that it makes or answers. */
  readonly call: string | null
  readonly model: string | null
  readonly branch: string | null
  readonly isError: boolean
  readonly copy: number
  readonly uuid: string | null
}

/** Rows and the cursor that stands for them go into the index together, for about this many bytes of log. */
const BATCH_BYTES = 8 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

const buffer = readBuffer(CHUNK_BYTES)

/** Reads the next stretch of a log behind a cursor. */
export function readBatch(source: Source, entry: SourceEntry, cursor: Cursor): Batch {
  const docs: Doc[] = []
  const texts = new Texts()
  let records = 0
  let cwd: string | undefined
  let session: string | undefined
  const record = (one: LogRecord) => {
    if (one.provisional) return
    records += 1
    cwd ??= textAt(one.raw, 'cwd')
    session ??= textAt(one.raw, 'sessionId')
    const doc = docOf(one, texts)
    if (doc) docs.push(doc)
  }
  const reader = new LogReader(entry.path, { record }, { offset: cursor.offset, line: cursor.line, hash: sha256Hash })
  let offset = cursor.offset
  let isEnd = false
  // A line that is longer than a stretch is read to its end.
  while (offset - cursor.offset < BATCH_BYTES || reader.totals.endOffset === cursor.offset) {
    const count = source.read(entry, offset, buffer)
    if (!count) {
      isEnd = true
      break
    }
    reader.push(buffer.subarray(0, count))
    offset += count
  }
  const { endOffset, endLine } = reader.totals
  const next = advance(cursor, source, entry, { offset: endOffset, line: endLine })
  return { docs, ...texts.parts(), records, cursor: next, isEnd, cwd: cwd ?? null, session: session ?? null }
}

function docOf(record: LogRecord, texts: Texts): Doc | undefined {
  const found = searchableText(record)
  if (!found || found.text === '') return undefined
  const { raw, place } = record
  const time = Date.parse(stringAt(raw, 'timestamp') ?? '')
  texts.add(found.text)
  texts.add(partsOf(found.text))
  return {
    line: place.line,
    offset: place.offset,
    length: place.length,
    time: Number.isNaN(time) ? null : time,
    role: found.role,
    kind: found.kind,
    tool: found.tools[0] ?? null,
    target: found.files[0] ?? null,
    call: found.toolUseIds[0] ?? null,
    model: textAt(objectAt(raw, 'message'), 'model') ?? null,
    branch: textAt(raw, 'gitBranch') ?? null,
    isError: found.isError,
    copy: copyKey(record, found.text),
    uuid: textAt(raw, 'uuid') ?? null,
  }
}

/** Texts one behind the other in one array, which goes from thread to thread without being copied. */
class Texts {
  #bytes = new Uint8Array(256 * 1024)
  #length = 0
  readonly #ends: number[] = []
  readonly #encoder = new TextEncoder()

  add(text: string): void {
    // No character takes more than three bytes for each of its UTF-16 units.
    const needed = this.#length + text.length * 3
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written
    this.#ends.push(this.#length)
  }

  parts(): Pick<Batch, 'texts' | 'ends'> {
    return { texts: this.#bytes.slice(0, this.#length), ends: Uint32Array.from(this.#ends) }
  }
}
