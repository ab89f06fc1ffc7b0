import {
  ALIKE,
  FLAGS,
  FORKED_FROM,
  GOES_ON,
  HAS_LOGICAL_PARENT,
  HAS_PARENT,
  HAS_USAGE,
  HAS_UUID,
  IS_API_ERROR,
  IS_FORK,
  IS_SIDECHAIN,
  MESSAGE_ID,
  MODEL,
  REQUEST_ID,
  SESSION,
  TIME,
  TYPE,
} from '../layout'
import { ROW_BYTES } from './memory.as'
import { isSame, Name, nameAt } from './names.as'
import { addFlag, hasFlag, nameIn } from './table.as'

/** Whether the plain row of the tree before is known. */
let isKnown = false

/** A copy of that row, of at least `ROW_BYTES`. */
const ROW: usize = memory.data(512, 16)
/** The ids of the response, message and request: a word for the length of each, then its bytes. */
const MESSAGE: usize = memory.data(72, 8)
const REQUEST: usize = memory.data(72, 8)
const MAX_ID = 64

/** Nothing is known of what stood before: it is another log, or was skimmed with other names. */
export function forgetRow(): void {
  isKnown = false
  forgetMessage()
}

/** The answer before may be of another response: it was left to the parser. */
export function forgetMessage(): void {
  store<i32>(MESSAGE, 0)
}

/** Marks a plain row that is like the one before, and remembers it. */
export function markRow(row: usize): void {
  const type = nameIn(row, TYPE)
  if (type > Name.progress) {
    const session = nameIn(row, SESSION)
    if (session != -1 && session != nameIn(ROW, SESSION)) isKnown = false
    return
  }
  if (isKnown && isAlike(row, type)) addFlag(row, ALIKE)
  if (type == Name.assistant) {
    const hasId = load<i32>(row, MESSAGE_ID * 4 + 4) > 0
    if (hasId && isId(row, MESSAGE_ID, MESSAGE) && isId(row, REQUEST_ID, REQUEST)) addFlag(row, GOES_ON)
    forgetMessage()
    if (isBilled(row)) {
      keepId(row, MESSAGE_ID, MESSAGE)
      keepId(row, REQUEST_ID, REQUEST)
    }
  }
  memory.copy(ROW, row, ROW_BYTES)
  isKnown = load<i64>(row, TIME * 8) != -1
}

function isAlike(row: usize, type: i32): bool {
  if (type > Name.assistant) return false
  const flags = load<i32>(row, FLAGS * 4)
  const needed = HAS_UUID | HAS_PARENT
  const refused = HAS_LOGICAL_PARENT | IS_API_ERROR
  if ((flags & (needed | refused)) != needed) return false
  if (((flags ^ load<i32>(ROW, FLAGS * 4)) & (IS_SIDECHAIN | IS_FORK)) != 0) return false
  if (load<i64>(row, TIME * 8) == -1) return false
  // The names from the session to the slug stand side by side.
  const names: usize = SESSION * 4
  if (!isEqual(row + names, ROW + names) || load<u64>(row + names, 16) != load<u64>(ROW + names, 16)) return false
  if (nameIn(row, FORKED_FROM) != nameIn(ROW, FORKED_FROM)) return false
  return type != Name.assistant || isBilled(row)
}

/** Whether an answer has all that a response is billed by. */
function isBilled(row: usize): bool {
  const model = nameIn(row, MODEL)
  if (!hasFlag(row, HAS_USAGE) || load<i32>(row, MESSAGE_ID * 4 + 4) <= 0) return false
  return model != -1 && model != Name.synthetic && load<i32>(nameAt(model), 4) > 0
}

// @ts-ignore
@inline
function isEqual(a: usize, b: usize): bool {
  return load<u64>(a) == load<u64>(b) && load<u64>(a, 8) == load<u64>(b, 8)
}

/** Whether a row has the id that was kept, or neither has one. */
function isId(row: usize, column: usize, kept: usize): bool {
  const length = load<i32>(row + column * 4, 4)
  if (length != load<i32>(kept) || length > MAX_ID) return false
  return length <= 0 || isSame(load<u32>(row + column * 4), kept + 8, length)
}

function keepId(row: usize, column: usize, into: usize): void {
  const length = load<i32>(row + column * 4, 4)
  store<i32>(into, length)
  if (length > 0 && length <= MAX_ID) memory.copy(into + 8, load<u32>(row + column * 4), length)
}
