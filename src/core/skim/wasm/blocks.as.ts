import {
  BLOCK_COUNT,
  BLOCK_ERROR,
  BLOCK_ID,
  BLOCK_KIND,
  BLOCK_NAME,
  BLOCK_VALUE,
  CALL_BLOCK,
  IS_TEXT_CONTENT,
  MAX_BLOCKS,
  OTHER_BLOCK,
  RESULT_BLOCK,
  SERVER_CALL_BLOCK,
  SERVER_RESULT_BLOCK,
  TEXT_BLOCK,
  THINKING_BLOCK,
} from '../layout'
import { readPlace, readPlain } from './ids.as'
import { Key, marked, readKey } from './keys.as'
import { Area, BLOCK_BYTES } from './memory.as'
import { readName } from './names.as'
import { Text } from './strings.as'
import { addFlag, readValue } from './table.as'
import { readBoolean, skipValue } from './values.as'
import { another, CLOSE_ARRAY, COMMA, enter, isNull, OPEN, OPEN_ARRAY, QUOTE, Walk } from './walk.as'

/** The blocks of all rows of this skim, one behind the other. */
export class Blocks {
  static count: i32 = 0
  /** The table has no room for another: the skim ends before this line. */
  static isFull: bool = false
}

/** Reads the `content` of a message: a string, or blocks. */
export function readContent(row: usize): void {
  const c = load<u8>(Walk.p)
  if (c == QUOTE) {
    addFlag(row, IS_TEXT_CONTENT)
    const block = addBlock(row)
    if (block != 0) readValue(block + BLOCK_VALUE * 4)
    return
  }
  if (c != OPEN_ARRAY) {
    if (!isNull()) Walk.bad = true
    return
  }
  Walk.p++
  if (load<u8>(Walk.p) == CLOSE_ARRAY) {
    Walk.p++
    return
  }
  while (true) {
    // Whatever is not an object is passed over by the parser; it is too odd to be passed over here.
    if (load<u8>(Walk.p) != OPEN) Walk.bad = true
    else readBlock(row)
    if (Walk.bad) return
    const next = load<u8>(Walk.p++)
    if (next == CLOSE_ARRAY) return
    if (next != COMMA) {
      Walk.bad = true
      return
    }
  }
}

function addBlock(row: usize): usize {
  if (Blocks.count == MAX_BLOCKS) {
    Blocks.isFull = true
    Walk.bad = true
    return 0
  }
  const block = Area.blocks + <usize>Blocks.count * BLOCK_BYTES
  Blocks.count++
  store<i32>(row, load<i32>(row, BLOCK_COUNT * 4) + 1, BLOCK_COUNT * 4)
  memory.fill(block, 0, BLOCK_BYTES)
  store<i32>(block, -1, BLOCK_NAME * 4)
  store<i32>(block, -1, BLOCK_ID * 4 + 4)
  store<i32>(block, -1, BLOCK_VALUE * 4 + 4)
  return block
}

/** What a block may have, before it is known what it is, as its type may come last: places of the values of these keys. */
const FOUND: usize = memory.data(48, 8)
const TEXT_AT: usize = FOUND
const THINKING_AT: usize = FOUND + 8
const INPUT_AT: usize = FOUND + 16
const CONTENT_AT: usize = FOUND + 24
const ID_AT: usize = FOUND + 32
const TOOL_USE_ID_AT: usize = FOUND + 40

function readBlock(row: usize): void {
  const block = addBlock(row)
  if (block == 0) return
  let kind = OTHER_BLOCK
  memory.fill(FOUND, 0xff, 48)
  if (enter()) {
    let seen: u64 = 0
    do {
      const key = readKey()
      if (Walk.bad) return
      seen = marked(seen, key)
      switch (key) {
        case Key.type:
          if (readPlain()) kind = kindOf(Text.at, Text.length)
          break
        case Key.text:
          readValue(TEXT_AT)
          break
        case Key.thinking:
          readValue(THINKING_AT)
          break
        case Key.input:
          readValue(INPUT_AT)
          break
        case Key.content:
          readValue(CONTENT_AT)
          break
        case Key.id:
          readPlace(ID_AT)
          break
        case Key.toolUseId:
          readPlace(TOOL_USE_ID_AT)
          break
        case Key.name:
          store<i32>(block, readName(), BLOCK_NAME * 4)
          break
        case Key.isError:
          store<i32>(block, <i32>readBoolean(), BLOCK_ERROR * 4)
          break
        default:
          skipValue()
      }
      if (Walk.bad) return
    } while (another())
  }
  store<i32>(block, kind, BLOCK_KIND * 4)
  if (kind == TEXT_BLOCK) takeText(block, TEXT_AT)
  else if (kind == THINKING_BLOCK) takeText(block, THINKING_AT)
  else if (kind == CALL_BLOCK || kind == SERVER_CALL_BLOCK) {
    store<u64>(block, load<u64>(ID_AT), BLOCK_ID * 4)
    store<u64>(block, load<u64>(INPUT_AT), BLOCK_VALUE * 4)
  } else if (kind == RESULT_BLOCK || kind == SERVER_RESULT_BLOCK) {
    store<u64>(block, load<u64>(TOOL_USE_ID_AT), BLOCK_ID * 4)
    store<u64>(block, load<u64>(CONTENT_AT), BLOCK_VALUE * 4)
  }
}

function takeText(block: usize, place: usize): void {
  const length = load<i32>(place, 4)
  if (length != -1 && load<u8>(load<u32>(place)) != QUOTE) Walk.bad = true
  store<u64>(block, load<u64>(place), BLOCK_VALUE * 4)
}

/** What a block is, by its type. */
function kindOf(at: usize, length: i32): i32 {
  if (length == 4 && load<u32>(at) == WORD_TEXT) return TEXT_BLOCK
  if (length == 8 && load<u64>(at) == WORD_THINKING) return THINKING_BLOCK
  const isCall = length >= 8 && load<u64>(at + length - 8) == WORD_TOOL_USE
  if (isCall) return length == 8 ? CALL_BLOCK : SERVER_CALL_BLOCK
  const isResult =
    length >= 11 && load<u64>(at + length - 11) == WORD_TOOL_RES && load<u32>(at + length - 4) == WORD_SULT
  if (isResult) return length == 11 ? RESULT_BLOCK : SERVER_RESULT_BLOCK
  return OTHER_BLOCK
}

/** Letters as they lie in the memory, the first one lowest. */
const WORD_TEXT: u32 = 0x74786574
const WORD_THINKING: u64 = 0x676e696b6e696874
const WORD_TOOL_USE: u64 = 0x6573755f6c6f6f74
const WORD_TOOL_RES: u64 = 0x7365725f6c6f6f74
const WORD_SULT: u32 = 0x746c7573
