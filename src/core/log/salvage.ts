import type { JsonObject } from '../json.ts'
import { isRecordType } from './record-types.ts'

/** A stretch of a damaged line: bytes `from` up to `to`, and what they are. */
export type Stretch =
  | { readonly kind: 'record'; readonly from: number; readonly to: number; readonly value: JsonObject }
  | { readonly kind: 'nul' | 'blank' | 'torn' | 'garbage'; readonly from: number; readonly to: number }

/** Reads bytes `from` up to `to` of the line as one JSON object. */
export type ReadObject = (from: number, to: number) => JsonObject | undefined

/**
 * Cuts a line that is not one JSON object into stretches that cover it exactly: whole objects, runs of NUL, blanks, the
 * stub of a record that was cut off, and bytes that are nothing. Never throws; the work is bounded by the line's length.
 */
export function cutLine(bytes: Uint8Array, readObject: ReadObject): readonly Stretch[] {
  const scan = { bytes, readObject, budget: 16 * bytes.length + 4096 }
  const stretches: Stretch[] = []
  for (let at = 0; at < bytes.length; ) {
    const next = cutOne(scan, at)
    stretches.push(next)
    at = next.to
  }
  return stretches
}

interface Scan {
  readonly bytes: Uint8Array
  readonly readObject: ReadObject
  /** How many more bytes may be looked at: hostile lines get a diagnostic instead of an hour. */
  budget: number
}

function cutOne(scan: Scan, at: number): Stretch {
  const { bytes } = scan
  const byte = bytes[at]
  if (byte === 0) return { kind: 'nul', from: at, to: runEnd(bytes, at, (b) => b === 0) }
  if (isBlank(byte)) return { kind: 'blank', from: at, to: runEnd(bytes, at, isBlank) }
  if (isBom(bytes, at)) return { kind: 'blank', from: at, to: at + 3 }
  if (byte !== OPEN) return { kind: 'garbage', from: at, to: nextRecord(scan, at) }
  return wholeObject(scan, at) ?? { kind: 'torn', from: at, to: nextRecord(scan, at + 1) }
}

/**
 * Where the next whole record, or run of NULs, begins after a stub; the end of the line if there is none. A record is
 * told from an object inside the stub by what follows it: the end of the line, another record, or NULs.
 */
function nextRecord(scan: Scan, from: number): number {
  const { bytes } = scan
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === 0) return at
    if (bytes[at] !== OPEN) continue
    const end = objectEnd(scan, at)
    if (end === undefined || !isRecordEnd(bytes, end)) continue
    const whole = wholeObject(scan, at)
    if (whole?.kind === 'record' && (!isValuePlace(bytes, at) || isRowLike(whole.value))) return at
  }
  return bytes.length
}

/** Whether an object here can be a value inside the stub: after a colon, a comma or an opening bracket. */
function isValuePlace(bytes: Uint8Array, at: number): boolean {
  let before = at - 1
  while (before >= 0 && isBlank(bytes[before])) before--
  return bytes[before] === 0x3a || bytes[before] === 0x2c || bytes[before] === OPEN_ARRAY
}

/** Rows of a log say what type they are, or whose they are; what stands inside them seldom does. */
function isRowLike(value: JsonObject): boolean {
  const { type } = value
  return (typeof type === 'string' && isRecordType(type)) || 'sessionId' in value || 'parentUuid' in value
}

function isRecordEnd(bytes: Uint8Array, end: number): boolean {
  const after = runEnd(bytes, end, isBlank)
  return after === bytes.length || bytes[after] === OPEN || bytes[after] === 0
}

function wholeObject(scan: Scan, at: number): Stretch | undefined {
  const to = objectEnd(scan, at)
  if (to === undefined) return undefined
  scan.budget -= to - at
  const value = scan.readObject(at, to)
  return value && { kind: 'record', from: at, to, value }
}

/** The end of the object that opens at `at`, if its brackets and strings close before the line does. */
function objectEnd(scan: Scan, at: number): number | undefined {
  const { bytes } = scan
  const first = bytes[runEnd(bytes, at + 1, isBlank)]
  if (first !== QUOTE && first !== CLOSE) return undefined
  // Brackets are checked by kind: a stub glued to a record rarely closes them in the right order.
  const closers: number[] = []
  for (let i = at; i < bytes.length; i++) {
    if (scan.budget-- <= 0) return undefined
    const byte = bytes[i]
    if (byte === QUOTE) {
      const end = stringEnd(bytes, i)
      if (end === -1) return undefined
      scan.budget -= end - i
      i = end
    } else if (byte === OPEN) closers.push(CLOSE)
    else if (byte === OPEN_ARRAY) closers.push(CLOSE_ARRAY)
    else if (byte === CLOSE || byte === CLOSE_ARRAY) {
      if (closers.pop() !== byte) return undefined
      if (closers.length === 0) return i + 1
    } else if (byte === 0 || !isStructural(byte as number)) return undefined
  }
  return undefined
}

/** The closing quote of the string that opens at `at`, -1 if it does not close or holds a raw control byte. */
function stringEnd(bytes: Uint8Array, at: number): number {
  for (let i = at + 1; i < bytes.length; i++) {
    const byte = bytes[i] as number
    if (byte === BACKSLASH) i++
    else if (byte === QUOTE) return i
    else if (byte < 0x20) return -1
  }
  return -1
}

/** Bytes that may stand outside strings in JSON: punctuation, numbers, the letters of true, false and null. */
function isStructural(byte: number): boolean {
  return byte < 128 && STRUCTURAL[byte] === 1
}

const STRUCTURAL = new Uint8Array(128)
for (const c of ' \t\r\n,:+-.0123456789eEtrufalsn') STRUCTURAL[c.charCodeAt(0)] = 1

const OPEN = 0x7b
const CLOSE = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** JSON's white space, and the carriage return of a CRLF. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a
}

/** The three bytes of a UTF-8 byte order mark. */
export function isBom(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf
}

function runEnd(bytes: Uint8Array, from: number, test: (byte: number | undefined) => boolean): number {
  let to = from
  while (to < bytes.length && test(bytes[to])) to++
  return to
}
