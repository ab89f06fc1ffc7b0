import { BLOCK_COUNT, IS_ASCII, LEFT, LENGTH, LINE, MAX_ROWS, OFFSET, PLAIN, VERDICT } from '../layout'
import { Blocks } from './blocks.as'
import { Area, ROW_BYTES } from './memory.as'
import { makeRoom } from './names.as'
import { readRow } from './row.as'
import { addFlag } from './table.as'
import { isUtf8 } from './utf8.as'
import { NEWLINE, Walk } from './walk.as'

export { decodedLength } from './decode.as'
export { nameAt, nameGeneration } from './names.as'
export { parts, partTables } from './parts.as'
export { addDetails, addInput, addStrings, addText, beginText, endText, fileCount } from './text.as'

/** Where the tables and the bytes of a log lie in the memory. */
export function rowsAt(): usize {
  return Area.rows
}

export function blocksAt(): usize {
  return Area.blocks
}

export function filesAt(): usize {
  return Area.files
}

export function bytesAt(): usize {
  return Area.bytes
}

let skimmedTo: usize = 0
let passedLines: i32 = 0

/** Where the last skim ended: behind the last line that it gave. */
export function skimEnd(): usize {
  return skimmedTo
}

/** How many lines the last skim passed, empty ones included. */
export function skimLines(): i32 {
  return passedLines
}

/** Skims lines from `from` on, as many as the table holds. The byte before `to` is the newline of the last one. */
export function skim(from: usize, to: usize): i32 {
  makeRoom()
  Blocks.count = 0
  let at = from
  let count = 0
  let line = 0
  while (at < to && count < MAX_ROWS) {
    if (load<u8>(at) == NEWLINE) {
      at++
      line++
      continue
    }
    const row = Area.rows + <usize>count * ROW_BYTES
    const end = skimLine(row, at)
    if (Blocks.isFull && count > 0) break
    store<i32>(row, line, LINE * 4)
    at = end + 1
    count++
    line++
  }
  skimmedTo = at
  passedLines = line
  return count
}

/** Skims one line and gives the place of its newline. */
function skimLine(row: usize, at: usize): usize {
  const blocks = Blocks.count
  Walk.p = at
  Walk.bad = false
  Walk.high = 0
  Blocks.isFull = false
  readRow(row)
  if (load<u8>(Walk.p) != NEWLINE) Walk.bad = true
  if (!Walk.bad && Walk.high != 0 && !isUtf8(at, Walk.p)) Walk.bad = true
  const end = Walk.bad ? newlineFrom(at) : Walk.p
  store<u32>(row, <u32>at, OFFSET * 4)
  store<i32>(row, <i32>(end - at), LENGTH * 4)
  store<i32>(row, Walk.bad ? LEFT : PLAIN, VERDICT * 4)
  if (Walk.high == 0) addFlag(row, IS_ASCII)
  if (Walk.bad) {
    Blocks.count = blocks
    store<i32>(row, 0, BLOCK_COUNT * 4)
  }
  return end
}

function newlineFrom(from: usize): usize {
  const newline = i8x16.splat(NEWLINE)
  let at = from
  while (true) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), newline))
    if (found != 0) return at + <usize>ctz(found)
    at += 16
  }
}
