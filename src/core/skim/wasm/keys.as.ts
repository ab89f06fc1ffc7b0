import { BACKSLASH, QUOTE, Walk } from './walk.as'

/** The keys that mean something to us, by number. */
export const enum Key {
  type,
  uuid,
  parentUuid,
  logicalParentUuid,
  sessionId,
  agentId,
  timestamp,
  version,
  cwd,
  gitBranch,
  slug,
  isSidechain,
  isMeta,
  isCompactSummary,
  isApiErrorMessage,
  requestId,
  requestRef,
  forkedFrom,
  message,
  toolUseResult,
  toolUseID,
  parentToolUseID,
  subtype,
  level,
  content,
  error,
  attachment,
  data,
  snapshot,
  id,
  model,
  role,
  stopReason,
  usage,
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  cacheCreation,
  cacheWrite5mTokens,
  cacheWrite1hTokens,
  serverToolUse,
  webSearches,
  serviceTier,
  speed,
  geo,
  text,
  thinking,
  name,
  input,
  toolUseId,
  isError,
  filePath,
  file,
  persistedOutputPath,
  stdout,
  stderr,
  inputFilePath,
  notebookPath,
  path,
  /** From here on: only ever passed over, as what stands under them is for machines. */
  unread,
  none,
}

/** Adds a key to those that an object has had. A second one makes the line not plain: the parser takes the last of them. */
// @ts-ignore
@inline
export function marked(seen: u64, key: Key): u64 {
  if (key >= Key.unread) return seen
  const bit = (<u64>1) << <u64>key
  if ((seen & bit) != 0) Walk.bad = true
  return seen | bit
}

/** The last key that was read: its bytes between the quotes. */
export class KeyText {
  static at: usize = 0
  static length: i32 = 0
}

/** Reads a key and its colon; the walk then stands at the value. A key with escapes makes the line not plain. */
export function readKey(): Key {
  if (load<u8>(Walk.p) != QUOTE) {
    Walk.bad = true
    return Key.none
  }
  const from = Walk.p + 1
  const first = v128.load(from)
  let stop = stopsIn(first)
  let high = i8x16.bitmask(first)
  let at = from
  while (stop == 0) {
    at += 16
    const v = v128.load(at)
    stop = stopsIn(v)
    high |= i8x16.bitmask(v)
  }
  at += <usize>ctz(stop)
  Walk.high |= high
  if (load<u16>(at) != KEY_END) {
    Walk.bad = true
    return Key.none
  }
  Walk.p = at + 2
  KeyText.at = from
  KeyText.length = <i32>(at - from)
  return find(from, <i32>(at - from), first)
}

/** A quote and a colon. */
const KEY_END: u16 = 0x3a22

// @ts-ignore
@inline
function stopsIn(v: v128): i32 {
  const marks = v128.or(i8x16.eq(v, i8x16.splat(QUOTE)), i8x16.eq(v, i8x16.splat(BACKSLASH)))
  return i8x16.bitmask(v128.or(marks, i8x16.lt_u(v, i8x16.splat(0x20))))
}

/** A table of 256 places: the first and the last sixteen bytes of a key, its length and its number. */
const SLOT: usize = 48
const TABLE: usize = memory.data(256 * 48, 16)
/** For each length up to 16, that many bytes of ones. */
const MASKS: usize = memory.data(17 * 16, 16)
const LONGEST = 27

function find(from: usize, length: i32, first: v128): Key {
  if (length > LONGEST) return Key.none
  const isLong = length > 16
  const head = isLong ? first : v128.and(first, v128.load(MASKS + (<usize>length << 4)))
  for (let at = slotOf(head, length); ; at = (at + 1) & 255) {
    const slot = TABLE + at * SLOT
    const known = load<i32>(slot, 32)
    if (known == 0) return Key.none
    if (known != length || !i8x16.all_true(i8x16.eq(head, v128.load(slot)))) continue
    // The first bytes are not the key: a damaged one of the same length may share them.
    if (isLong && !i8x16.all_true(i8x16.eq(v128.load(from + length - 16), v128.load(slot, 16)))) continue
    return <Key>load<i32>(slot, 36)
  }
}

// @ts-ignore
@inline
function slotOf(head: v128, length: i32): usize {
  const mixed = i64x2.extract_lane(head, 0) ^ (i64x2.extract_lane(head, 1) * 0x2545f4914f6cdd1d) ^ <i64>length
  return <usize>(<u64>(mixed * 0x1e3779b97f4a7c15) >> 56)
}

function learn(key: Key, name: string): void {
  const length = name.length
  const bytes = SCRATCH
  memory.fill(bytes, 0, 48)
  for (let i = 0; i < length; i++) store<u8>(bytes + i, <u8>name.charCodeAt(i))
  const head = v128.load(bytes)
  let at = slotOf(head, length)
  while (load<i32>(TABLE + at * SLOT, 32) != 0) at = (at + 1) & 255
  const slot = TABLE + at * SLOT
  v128.store(slot, head)
  if (length > 16) v128.store(slot, v128.load(bytes + length - 16), 16)
  store<i32>(slot, length, 32)
  store<i32>(slot, key, 36)
}

const SCRATCH: usize = memory.data(48, 16)

for (let length = 0; length <= 16; length++) memory.fill(MASKS + (<usize>length << 4), 0xff, length)
learn(Key.type, 'type')
learn(Key.uuid, 'uuid')
learn(Key.parentUuid, 'parentUuid')
learn(Key.logicalParentUuid, 'logicalParentUuid')
learn(Key.sessionId, 'sessionId')
learn(Key.agentId, 'agentId')
learn(Key.timestamp, 'timestamp')
learn(Key.version, 'version')
learn(Key.cwd, 'cwd')
learn(Key.gitBranch, 'gitBranch')
learn(Key.slug, 'slug')
learn(Key.isSidechain, 'isSidechain')
learn(Key.isMeta, 'isMeta')
learn(Key.isCompactSummary, 'isCompactSummary')
learn(Key.isApiErrorMessage, 'isApiErrorMessage')
learn(Key.requestId, 'requestId')
learn(Key.requestRef, 'requestRef')
learn(Key.forkedFrom, 'forkedFrom')
learn(Key.message, 'message')
learn(Key.toolUseResult, 'toolUseResult')
learn(Key.toolUseID, 'toolUseID')
learn(Key.parentToolUseID, 'parentToolUseID')
learn(Key.subtype, 'subtype')
learn(Key.level, 'level')
learn(Key.content, 'content')
learn(Key.error, 'error')
learn(Key.attachment, 'attachment')
learn(Key.data, 'data')
learn(Key.snapshot, 'snapshot')
learn(Key.id, 'id')
learn(Key.model, 'model')
learn(Key.role, 'role')
learn(Key.stopReason, 'stop_reason')
learn(Key.usage, 'usage')
learn(Key.inputTokens, 'input_tokens')
learn(Key.outputTokens, 'output_tokens')
learn(Key.cacheReadTokens, 'cache_read_input_tokens')
learn(Key.cacheWriteTokens, 'cache_creation_input_tokens')
learn(Key.cacheCreation, 'cache_creation')
learn(Key.cacheWrite5mTokens, 'ephemeral_5m_input_tokens')
learn(Key.cacheWrite1hTokens, 'ephemeral_1h_input_tokens')
learn(Key.serverToolUse, 'server_tool_use')
learn(Key.webSearches, 'web_search_requests')
learn(Key.serviceTier, 'service_tier')
learn(Key.speed, 'speed')
learn(Key.geo, 'inference_geo')
learn(Key.text, 'text')
learn(Key.thinking, 'thinking')
learn(Key.name, 'name')
learn(Key.input, 'input')
learn(Key.toolUseId, 'tool_use_id')
learn(Key.isError, 'is_error')
learn(Key.filePath, 'filePath')
learn(Key.file, 'file')
learn(Key.persistedOutputPath, 'persistedOutputPath')
learn(Key.stdout, 'stdout')
learn(Key.stderr, 'stderr')
learn(Key.inputFilePath, 'file_path')
learn(Key.notebookPath, 'notebook_path')
learn(Key.path, 'path')
learn(Key.unread, 'base64')
learn(Key.unread, 'cache_control')
learn(Key.unread, 'encrypted_content')
learn(Key.unread, 'encrypted_index')
learn(Key.unread, 'encrypted_stdout')
learn(Key.unread, 'media_type')
learn(Key.unread, 'signature')
