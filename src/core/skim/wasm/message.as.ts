import {
  CACHE_READ_TOKENS,
  CACHE_WRITE_1H_TOKENS,
  CACHE_WRITE_5M_TOKENS,
  CACHE_WRITE_TOKENS,
  GEO,
  HAS_MESSAGE,
  HAS_USAGE,
  INPUT_TOKENS,
  MESSAGE_ID,
  MODEL,
  OUTPUT_TOKENS,
  ROLE,
  SERVICE_TIER,
  SPEED,
  STOP_REASON,
  WEB_SEARCHES,
} from '../layout'
import { readContent } from './blocks.as'
import { readPlace } from './ids.as'
import { Key, marked, readKey } from './keys.as'
import { readName } from './names.as'
import { addFlag, putCount, putName } from './table.as'
import { readCount, skipValue } from './values.as'
import { another, enter, isNull, isObject, Walk } from './walk.as'

/** Reads the `message` of a row. */
export function readMessage(row: usize): void {
  if (!isObject()) {
    if (!isNull()) Walk.bad = true
    return
  }
  addFlag(row, HAS_MESSAGE)
  if (!enter()) return
  let seen: u64 = 0
  do {
    const key = readKey()
    if (Walk.bad) return
    seen = marked(seen, key)
    switch (key) {
      case Key.id:
        readPlace(row + MESSAGE_ID * 4)
        break
      case Key.model:
        putName(row, MODEL, readName())
        break
      case Key.role:
        putName(row, ROLE, readName())
        break
      case Key.stopReason:
        putName(row, STOP_REASON, readName())
        break
      case Key.usage:
        readUsage(row)
        break
      case Key.content:
        readContent(row)
        break
      default:
        skipValue()
    }
    if (Walk.bad) return
  } while (another())
}

function readUsage(row: usize): void {
  if (!isObject()) {
    if (!isNull()) Walk.bad = true
    return
  }
  addFlag(row, HAS_USAGE)
  if (!enter()) return
  let seen: u64 = 0
  do {
    const key = readKey()
    if (Walk.bad) return
    seen = marked(seen, key)
    switch (key) {
      case Key.inputTokens:
        putCount(row, INPUT_TOKENS, readCount())
        break
      case Key.outputTokens:
        putCount(row, OUTPUT_TOKENS, readCount())
        break
      case Key.cacheReadTokens:
        putCount(row, CACHE_READ_TOKENS, readCount())
        break
      case Key.cacheWriteTokens:
        putCount(row, CACHE_WRITE_TOKENS, readCount())
        break
      case Key.cacheCreation:
      case Key.serverToolUse:
        readDetailedCounts(row)
        break
      case Key.serviceTier:
        putName(row, SERVICE_TIER, readName())
        break
      case Key.speed:
        putName(row, SPEED, readName())
        break
      case Key.geo:
        putName(row, GEO, readName())
        break
      default:
        skipValue()
    }
    if (Walk.bad) return
  } while (another())
}

/** `cache_creation` and `server_tool_use`: their counts have names of their own. */
function readDetailedCounts(row: usize): void {
  if (!isObject()) {
    if (!isNull()) Walk.bad = true
    return
  }
  if (!enter()) return
  let seen: u64 = 0
  do {
    const key = readKey()
    if (Walk.bad) return
    seen = marked(seen, key)
    if (key == Key.cacheWrite5mTokens) putCount(row, CACHE_WRITE_5M_TOKENS, readCount())
    else if (key == Key.cacheWrite1hTokens) putCount(row, CACHE_WRITE_1H_TOKENS, readCount())
    else if (key == Key.webSearches) putCount(row, WEB_SEARCHES, readCount())
    else skipValue()
    if (Walk.bad) return
  } while (another())
}
