import { type JsonObject, type JsonValue, parseJson } from '../json.ts'

/**
 * The keys that stand twice in one object of a record. `JSON.parse` keeps the last of them and says nothing, so the
 * members in the text are counted against those in the value; only where they differ is the text read closely.
 */
export function duplicateKeys(bytes: Uint8Array, value: JsonObject): readonly string[] {
  return countMembers(bytes) === countKeys(value) ? [] : findDuplicates(bytes)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a

/** Colons outside strings: each stands for one member. */
function countMembers(bytes: Uint8Array): number {
  let members = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === COLON) members++
    else if (byte === QUOTE) i = stringEnd(bytes, i)
  }
  return members
}

function stringEnd(bytes: Uint8Array, open: number): number {
  for (let quote = bytes.indexOf(QUOTE, open + 1); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let slashes = 0
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return quote
  }
  return bytes.length
}

function countKeys(value: JsonValue): number {
  let keys = 0
  const waiting: JsonValue[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === 'object') waiting.push(item)
      continue
    }
    for (const key of Object.keys(next)) {
      keys++
      const member = (next as JsonObject)[key]
      if (typeof member === 'object') waiting.push(member)
    }
  }
  return keys
}

function findDuplicates(bytes: Uint8Array): readonly string[] {
  const found = new Set<string>()
  const open: (Set<string> | undefined)[] = []
  let text = ''
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      const end = stringEnd(bytes, i)
      text = keyOf(decoder.decode(bytes.subarray(i, end + 1)))
      i = end
    } else if (byte === 0x7b) open.push(new Set())
    else if (byte === 0x5b) open.push(undefined)
    else if (byte === 0x7d || byte === 0x5d) open.pop()
    else if (byte === COLON) {
      const keys = open.at(-1)
      if (keys?.has(text)) found.add(text)
      keys?.add(text)
    }
  }
  return [...found]
}

/** The same key may be written with escapes or without. */
function keyOf(quoted: string): string {
  const key = quoted.includes('\\') ? parseJson(quoted) : undefined
  return typeof key === 'string' ? key : quoted.slice(1, -1)
}

const decoder = new TextDecoder()
