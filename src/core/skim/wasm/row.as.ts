import {
  AGENT,
  ATTACHMENT_TYPE,
  BLOCK_COUNT,
  BLOCK_KIND,
  BLOCKS,
  CONTENT,
  CWD,
  DATA_AGENT,
  DETAILS,
  FORKED_FROM,
  GIT_BRANCH,
  HAS_ERROR,
  HAS_LOGICAL_PARENT,
  HAS_MESSAGE,
  HAS_PARENT,
  HAS_UUID,
  ID,
  INPUT_TOKENS,
  IS_API_ERROR,
  IS_COMPACT_SUMMARY,
  IS_ERROR_LEVEL,
  IS_FORK,
  IS_META,
  IS_SIDECHAIN,
  IS_TEXT_CONTENT,
  KEY,
  LOGICAL_PARENT,
  PARENT,
  PARENT_KEY,
  PARENT_TOOL_USE_ID,
  REQUEST_ID,
  REQUEST_REF,
  RESULT_BLOCK,
  SESSION,
  SLUG,
  SNAPSHOT_TIME,
  SUBTYPE,
  TIME,
  TOOL_USE_ID,
  TYPE,
  UUID,
  VERSION,
} from '../layout'
import { readPlace, readPlain, readTime, readUuid, textKey } from './ids.as'
import { Key, marked, readKey } from './keys.as'
import { Area, BLOCK_BYTES, ROW_BYTES } from './memory.as'
import { Blocks } from './blocks.as'
import { readMessage } from './message.as'
import { Name, readName, TYPE_COUNT } from './names.as'
import { Text } from './strings.as'
import { addFlag, hasFlag, nameIn, putCount, putName, readValue } from './table.as'
import { readBoolean, skipValue } from './values.as'
import { another, enter, isNull, isObject, OPEN, QUOTE, Walk } from './walk.as'

/** Reads the line that begins here into a row. Leaves the walk behind its last byte, if it is plain. */
export function readRow(row: usize): void {
  memory.fill(row, 0, ROW_BYTES)
  // Names, places and times: -1 is none, and so is the double with all its bits set.
  memory.fill(row + SESSION * 4, 0xff, INPUT_TOKENS * 8 - SESSION * 4)
  store<i32>(row, -1, TYPE * 4)
  store<i32>(row, Blocks.count, BLOCKS * 4)
  if (load<u8>(Walk.p) != OPEN || !enter()) {
    Walk.bad = true
    return
  }
  let seen: u64 = 0
  do {
    const key = readKey()
    if (Walk.bad) return
    seen = marked(seen, key)
    readMember(row, key)
    if (Walk.bad) return
  } while (another())
  if (!Walk.bad) judge(row)
}

function readMember(row: usize, key: Key): void {
  switch (key) {
    case Key.type:
      putName(row, TYPE, readName())
      break
    case Key.uuid:
      if (readUuid(row + UUID * 4)) {
        addFlag(row, HAS_UUID)
        putCount(row, KEY, textKey())
      }
      break
    case Key.parentUuid:
      if (readUuid(row + PARENT * 4)) {
        addFlag(row, HAS_PARENT)
        putCount(row, PARENT_KEY, textKey())
      }
      break
    case Key.logicalParentUuid:
      if (readUuid(row + LOGICAL_PARENT * 4)) addFlag(row, HAS_LOGICAL_PARENT)
      break
    case Key.timestamp:
      putCount(row, TIME, readTime())
      break
    case Key.sessionId:
      putName(row, SESSION, readName())
      break
    case Key.agentId:
      putName(row, AGENT, readName())
      break
    case Key.version:
      putName(row, VERSION, readName())
      break
    case Key.cwd:
      putName(row, CWD, readName())
      break
    case Key.gitBranch:
      putName(row, GIT_BRANCH, readName())
      break
    case Key.slug:
      putName(row, SLUG, readName())
      break
    case Key.subtype:
      putName(row, SUBTYPE, readName())
      break
    case Key.isSidechain:
      if (readBoolean()) addFlag(row, IS_SIDECHAIN)
      break
    case Key.isMeta:
      if (readBoolean()) addFlag(row, IS_META)
      break
    case Key.isCompactSummary:
      if (readBoolean()) addFlag(row, IS_COMPACT_SUMMARY)
      break
    case Key.isApiErrorMessage:
      if (readBoolean()) addFlag(row, IS_API_ERROR)
      break
    case Key.requestId:
      readPlace(row + REQUEST_ID * 4)
      break
    case Key.requestRef:
      readPlace(row + REQUEST_REF * 4)
      break
    case Key.id:
      readPlace(row + ID * 4)
      break
    case Key.toolUseID:
      readToolUseId(row)
      break
    case Key.parentToolUseID:
      readPlace(row + PARENT_TOOL_USE_ID * 4)
      break
    case Key.message:
      readMessage(row)
      break
    case Key.toolUseResult:
      readValue(row + DETAILS * 4)
      break
    case Key.content:
      readValue(row + CONTENT * 4)
      break
    case Key.level:
      readLevel(row)
      break
    case Key.error:
      if (isObject()) addFlag(row, HAS_ERROR)
      skipValue()
      break
    case Key.forkedFrom:
    case Key.attachment:
    case Key.data:
    case Key.snapshot:
      readNested(row, key)
      break
    default:
      skipValue()
  }
}

function readLevel(row: usize): void {
  if (readPlain() && Text.length == 5 && load<u32>(Text.at) == 0x6f727265 && load<u8>(Text.at, 4) == 0x72) {
    addFlag(row, IS_ERROR_LEVEL)
  }
}

/** The row's own, or its attachment's: where both are, one would be lost. */
function readToolUseId(row: usize): void {
  if (load<i32>(row, TOOL_USE_ID * 4 + 4) != -1) Walk.bad = true
  readPlace(row + TOOL_USE_ID * 4)
}

/** Objects of which one or two members are read. */
function readNested(row: usize, owner: Key): void {
  if (!isObject()) {
    if (!isNull()) Walk.bad = true
    return
  }
  if (owner == Key.forkedFrom) addFlag(row, IS_FORK)
  if (!enter()) return
  let seen: u64 = 0
  do {
    const key = readKey()
    if (Walk.bad) return
    seen = marked(seen, key)
    if (owner == Key.forkedFrom && key == Key.sessionId) putName(row, FORKED_FROM, readName())
    else if (owner == Key.attachment && key == Key.type) putName(row, ATTACHMENT_TYPE, readName())
    else if (owner == Key.attachment && key == Key.toolUseID) readToolUseId(row)
    else if (owner == Key.data && key == Key.agentId) putName(row, DATA_AGENT, readName())
    else if (owner == Key.snapshot && key == Key.timestamp) putCount(row, SNAPSHOT_TIME, readTime())
    else skipValue()
    if (Walk.bad) return
  } while (another())
}

/**
 * Leaves to the parser what is not known, and what a person did: prompts, commands, compactions, queued commands. What they are is
 * decided in one place, and it is not here.
 */
function judge(row: usize): void {
  const type = nameIn(row, TYPE)
  if (type < 0 || type >= TYPE_COUNT) Walk.bad = true
  else if (type == Name.user) {
    if (!hasOnlyResults(row)) Walk.bad = true
  } else if (type == Name.assistant) {
    if (!hasFlag(row, HAS_MESSAGE)) Walk.bad = true
  } else {
    store<i32>(row, 0, BLOCK_COUNT * 4)
    if (type == Name.system) judgeSystem(row)
    else if (type == Name.attachment) {
      if (nameIn(row, ATTACHMENT_TYPE) == Name.queuedCommand || nameIn(row, ATTACHMENT_TYPE) < 0) Walk.bad = true
    }
  }
}

function hasOnlyResults(row: usize): bool {
  const count = load<i32>(row, BLOCK_COUNT * 4)
  if (count == 0 || hasFlag(row, IS_TEXT_CONTENT)) return false
  let block = Area.blocks + <usize>load<i32>(row, BLOCKS * 4) * BLOCK_BYTES
  for (let i = 0; i < count; i++) {
    if (load<i32>(block, BLOCK_KIND * 4) != RESULT_BLOCK) return false
    block += BLOCK_BYTES
  }
  return true
}

function judgeSystem(row: usize): void {
  const subtype = nameIn(row, SUBTYPE)
  if (subtype == Name.compactBoundary || subtype == Name.localCommand) Walk.bad = true
  const length = load<i32>(row, CONTENT * 4 + 4)
  if (length != -1 && load<u8>(load<u32>(row, CONTENT * 4)) != QUOTE) Walk.bad = true
}
