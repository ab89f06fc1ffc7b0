import { MAX_NAME } from './limits.as'
import { Area } from './memory.as'
import { readString, Text } from './strings.as'
import { isNull, QUOTE, Walk } from './walk.as'

/**
 * Texts that many rows share, each kept once and known by its number: models, versions, folders. A row's names hold until the next
 * skim, which may begin with an empty table.
 */
class Names {
  static count: i32 = 0
  static nextByte: usize = 0
  /** Grows each time the table is emptied. */
  static generation: i32 = 0
}

const MAX_NAMES = 8192
/** A table fuller than this is emptied before the next skim: one skim cannot bring more than the rest holds. */
const ENOUGH_NAMES = 2048
const ENTRY_BYTES: usize = 8
const SLOTS = 16384

/** The place of a name is the entry's two words: where its bytes are, and how many. */
export function nameAt(name: i32): usize {
  return Area.names + <usize>name * ENTRY_BYTES
}

export function nameGeneration(): i32 {
  return Names.generation
}

/** The types that are skimmed, in the order of `SKIMMED_TYPES`, the subtypes that are not, and the client's own answers have numbers that never change. */
export const enum Name {
  user,
  assistant,
  system,
  attachment,
  progress,
  compactBoundary = 18,
  localCommand,
  queuedCommand,
  synthetic,
}

/** How many types are skimmed. */
export const TYPE_COUNT = 18

export function makeRoom(): void {
  const isFull = Names.count > ENOUGH_NAMES || Names.nextByte - firstByte() > 1 << 19
  if (Names.generation != 0 && !isFull) return
  Names.generation++
  Names.count = 0
  Names.nextByte = firstByte()
  memory.fill(firstSlot(), 0, SLOTS * 4)
  learn('user')
  learn('assistant')
  learn('system')
  learn('attachment')
  learn('progress')
  learn('file-history-snapshot')
  learn('file-history-delta')
  learn('api-request')
  learn('api-request-shape')
  learn('api-request-blob')
  learn('tools-used')
  learn('atis-latch')
  learn('mode')
  learn('permission-mode')
  learn('agent-color')
  learn('agent-setting')
  learn('content-replacement')
  learn('attribution-snapshot')
  learn('compact_boundary')
  learn('local_command')
  learn('queued_command')
  learn('<synthetic>')
}

/** Reads a string and gives its number, -1 for null. Escapes are kept as they are written: who asks for the text resolves them. */
export function readName(): i32 {
  if (load<u8>(Walk.p) != QUOTE) {
    if (!isNull()) Walk.bad = true
    return -1
  }
  readString()
  return Walk.bad ? -1 : intern(Text.at, Text.length)
}

function intern(from: usize, length: i32): i32 {
  const slots = firstSlot()
  let at = hashOf(from, length) & (SLOTS - 1)
  while (true) {
    const slot = slots + (<usize>at << 2)
    const name = load<i32>(slot) - 1
    if (name == -1) return add(slot, from, length)
    const entry = nameAt(name)
    if (load<i32>(entry, 4) == length && isSame(load<u32>(entry), from, length)) return name
    at = (at + 1) & (SLOTS - 1)
  }
}

function add(slot: usize, from: usize, length: i32): i32 {
  if (Names.count == MAX_NAMES || length > MAX_NAME || Names.nextByte + length + 16 > Area.rows) {
    Walk.bad = true
    return -1
  }
  const name = Names.count++
  memory.copy(Names.nextByte, from, length)
  store<u32>(nameAt(name), <u32>Names.nextByte)
  store<i32>(nameAt(name), length, 4)
  store<i32>(slot, name + 1)
  Names.nextByte += length
  return name
}

function learn(name: string): void {
  const at = Names.nextByte + MAX_NAME
  for (let i = 0; i < name.length; i++) store<u8>(at + i, <u8>name.charCodeAt(i))
  intern(at, name.length)
}

function firstSlot(): usize {
  return Area.names + <usize>MAX_NAMES * ENTRY_BYTES
}

function firstByte(): usize {
  return firstSlot() + SLOTS * 4
}

/** Whether two stretches of bytes are equal. */
// @ts-ignore
@inline
export function isSame(a: usize, b: usize, length: i32): bool {
  let i = 0
  for (; i + 8 <= length; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false
  for (; i < length; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false
  return true
}

/** A hash of some bytes; equal bytes have equal ones. */
export function hashOf(from: usize, length: i32): u32 {
  let hash: u64 = 0x9e3779b97f4a7c15 ^ <u64>length
  let i = 0
  for (; i + 8 <= length; i += 8) {
    hash = (hash ^ load<u64>(from + i)) * 0xff51afd7ed558ccd
    hash ^= hash >> 32
  }
  for (; i < length; i++) hash = (hash ^ <u64>load<u8>(from + i)) * 0x100000001b3
  hash *= 0xc4ceb9fe1a85ec53
  return <u32>(hash >> 32)
}
