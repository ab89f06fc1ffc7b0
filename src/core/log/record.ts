import { isObject, type JsonObject, parseAnyDepth, stringAt } from '../json.ts'
import { cutDeep, isTooDeep, MOST_LEVELS, SHORTEST_DEEP_TEXT } from '../json-depth.ts'
import type { Diagnostic, DiagnosticCode, Read } from './diagnostic.ts'
import type { Line } from './lines.ts'
import { type Place, within } from './place.ts'
import { isRecordType, type RecordType } from './record-types.ts'
import { cutLine, isBlank, isBom, type Stretch } from './salvage.ts'

/** One JSON object of a log, with its place. Records of a type we do not know are kept as they came. */
export type LogRecord = KnownRecord | UnknownRecord | OversizeRecord

interface BaseRecord {
  /** The object as the client wrote it. No field is promised: read it with the accessors of `json`. */
  readonly raw: JsonObject
  readonly place: Place
  /** The record was recovered from a damaged line. */
  readonly salvaged?: true
  /** The record stands at the end of the file without a newline: it may still change. */
  readonly provisional?: true
}

export interface KnownRecord extends BaseRecord {
  readonly kind: RecordType
  readonly type: RecordType
}

export interface UnknownRecord extends BaseRecord {
  readonly kind: 'unknown'
  /** The log's own name for it. */
  readonly type: string | undefined
}

/** A line too long to be parsed: known by its place and hash. */
export interface OversizeRecord extends BaseRecord {
  readonly kind: 'oversize'
  readonly type: undefined
  readonly hash: string
}

/** Reads one line. Never throws; a glued line gives two records, one that cannot be read gives a diagnostic. */
export function readLine(bytes: Uint8Array, place: Place): Read<readonly LogRecord[]> {
  const [from, to] = trimmed(bytes)
  if (from === to) return NOTHING
  const text = decoder.decode(bytes.subarray(from, to))
  const whole = parseAnyDepth(text)
  if (isObject(whole)) {
    const at = within(place, from, to)
    const diagnostics = isLossy(text, bytes, from, to) ? [lossy(at)] : []
    if (text.length <= SHORTEST_DEEP_TEXT || !isTooDeep(whole)) return { value: [toRecord(whole, at)], diagnostics }
    return { value: [toRecord(cutDeep(whole), at)], diagnostics: [...diagnostics, tooDeep(at)] }
  }
  if (whole !== undefined) return { value: [], diagnostics: [notAnObject(within(place, from, to), whole)] }
  return readDamaged(bytes, place)
}

/** The record and the diagnostic of a line that was too long to hold. */
export function readOversize(line: Line, place: Place): Read<readonly LogRecord[]> {
  const record: OversizeRecord = { kind: 'oversize', type: undefined, raw: {}, place, hash: line.hash ?? '' }
  const message = `A line of ${line.length} bytes is too long to read; it is kept by its place and hash.`
  return { value: [record], diagnostics: [{ code: 'OVERSIZE', message, place, salvaged: true }] }
}

/** Whether a line holds nothing but white space, carriage returns and byte order marks. */
export function isBlankLine(bytes: Uint8Array): boolean {
  const [from, to] = trimmed(bytes)
  return from === to
}

const NOTHING: Read<readonly LogRecord[]> = { value: [], diagnostics: [] }

// `ignoreBOM` keeps a byte order mark in the text, so that we are the ones who decide about it.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const strictDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

function trimmed(bytes: Uint8Array): [number, number] {
  let from = 0
  let to = bytes.length
  while (from < to && (isBlank(bytes[from]) || isBom(bytes, from))) from += isBlank(bytes[from]) ? 1 : 3
  while (to > from && isBlank(bytes[to - 1])) to--
  return [from, to]
}

function toRecord(raw: JsonObject, place: Place): KnownRecord | UnknownRecord {
  const type = stringAt(raw, 'type')
  if (type !== undefined && isRecordType(type)) return { kind: type, type, raw, place }
  return { kind: 'unknown', type, raw, place }
}

function readDamaged(bytes: Uint8Array, place: Place): Read<readonly LogRecord[]> {
  const records: LogRecord[] = []
  const diagnostics: Diagnostic[] = []
  const readObject = (from: number, to: number): JsonObject | undefined => {
    const value = parseAnyDepth(decoder.decode(bytes.subarray(from, to)))
    return isObject(value) ? value : undefined
  }
  for (const stretch of cutLine(bytes, readObject)) {
    const at = within(place, stretch.from, stretch.to)
    if (stretch.kind === 'record') {
      const isDeep = isTooDeep(stretch.value)
      records.push({ ...toRecord(isDeep ? cutDeep(stretch.value) : stretch.value, at), salvaged: true })
      if (isDeep) diagnostics.push(tooDeep(at))
      const text = decoder.decode(bytes.subarray(stretch.from, stretch.to))
      if (isLossy(text, bytes, stretch.from, stretch.to)) diagnostics.push(lossy(at))
    } else if (stretch.kind !== 'blank') diagnostics.push(damage(stretch, at, bytes))
  }
  if (records.length > 1) diagnostics.push(glued(records))
  return { value: records, diagnostics }
}

function damage(stretch: Exclude<Stretch, { kind: 'record' }>, place: Place, bytes: Uint8Array): Diagnostic {
  const length = `${place.length} ${place.length === 1 ? 'byte' : 'bytes'}`
  if (stretch.kind === 'nul') {
    return lost('NUL_RUN', place, `${length} of NUL, as a crash leaves them; what was here is gone.`)
  }
  if (stretch.kind === 'torn' && stretch.to < bytes.length) {
    return lost('TORN', place, `A record was cut off after ${length}; what follows it on the line was kept.`)
  }
  if (stretch.kind === 'torn') {
    return lost('TORN', place, `A record of ${length} is not whole JSON: it was cut off or damaged.`)
  }
  return lost('BAD_JSON', place, `${length} are not JSON.`)
}

function lost(code: DiagnosticCode, place: Place, message: string): Diagnostic {
  return { code, message, place, salvaged: false }
}

function notAnObject(place: Place, value: unknown): Diagnostic {
  const what = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
  return lost('NOT_AN_OBJECT', place, `The line is ${what}, not an object.`)
}

function lossy(place: Place): Diagnostic {
  const message = 'The record holds bytes that are not UTF-8; they are shown as U+FFFD.'
  return { code: 'LOSSY_UTF8', message, place, salvaged: true }
}

function tooDeep(place: Place): Diagnostic {
  const message = `The record is nested more than ${MOST_LEVELS} levels deep; what is deeper is shown as "…".`
  return { code: 'TOO_DEEP', message, place, salvaged: true }
}

function glued(records: readonly LogRecord[]): Diagnostic {
  const first = (records[0] as LogRecord).place
  const last = (records.at(-1) as LogRecord).place
  const place = { ...first, length: last.offset + last.length - first.offset }
  return {
    code: 'GLUED',
    message: `${records.length} records are on one line; all were read.`,
    place,
    salvaged: true,
  }
}

/** U+FFFD may be in the data itself, so its presence only asks for a strict second look. */
function isLossy(text: string, bytes: Uint8Array, from: number, to: number): boolean {
  if (!text.includes('\ufffd')) return false
  try {
    strictDecoder.decode(bytes.subarray(from, to))
    return false
  } catch {
    return true
  }
}
