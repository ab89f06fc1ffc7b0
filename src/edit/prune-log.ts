import {
  arrayAt,
  isObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  parseRewritable,
  stringAt,
} from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'

/** A log without long results and pictures. */
export interface PrunedLog {
  readonly bytes: Buffer
  /** Rows that differ; all other lines are the same, byte for byte. */
  readonly rows: number
  readonly results: number
  readonly images: number
  readonly savedBytes: number
  /** Of what was taken out, what the client would have sent: text in bytes, and pictures. */
  readonly sentBytes: number
  readonly sentImages: number
  /** Whole lines that are no JSON, or nested too deep to be written again. */
  readonly damaged: number
}

/** Puts placeholders in the place of tool results over a length, and of all pictures and documents, in the rows of a log. */
export function pruneLog(bytes: Buffer, overBytes: number, isSent: (offset: number) => boolean): PrunedLog {
  const sum = { rows: 0, results: 0, images: 0, sentBytes: 0, sentImages: 0, damaged: 0 }
  const pieces: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(10, from)
    const end = newline === -1 ? bytes.length : newline
    const line = bytes.subarray(from, end)
    const pruned = newline === -1 ? undefined : pruneLine(line, overBytes)
    if (pruned === 'damaged') sum.damaged += 1
    else if (pruned) {
      sum.rows += 1
      sum.results += pruned.results
      sum.images += pruned.images
      if (isSent(from)) {
        sum.sentBytes += pruned.textBytes
        sum.sentImages += pruned.images
      }
    }
    pieces.push(pruned && pruned !== 'damaged' ? Buffer.from(pruned.line) : line, bytes.subarray(end, end + 1))
    from = end + 1
  }
  const made = sum.rows === 0 ? bytes : Buffer.concat(pieces)
  return { ...sum, bytes: made, savedBytes: bytes.length - made.length }
}

interface PrunedLine {
  readonly line: string
  readonly results: number
  readonly images: number
  readonly textBytes: number
}

function pruneLine(line: Buffer, overBytes: number): PrunedLine | 'damaged' | undefined {
  const text = line.toString('utf8')
  if (text.trim() === '') return undefined
  const row = parseRewritable(text)
  if (!isObject(row)) return 'damaged'
  const message = objectAt(row, 'message')
  if (row.type !== 'user' || !message || !Array.isArray(message.content)) return undefined
  const tally = { results: 0, images: 0, textBytes: 0 }
  const content = arrayAt(message, 'content').map((block) => pruneBlock(block, overBytes, tally))
  if (tally.results + tally.images === 0) return undefined
  // What the tool told the client holds the same once more; absent is what copied rows have.
  const { toolUseResult: _, ...rest } = row
  return { ...tally, line: jsonText({ ...rest, message: { ...message, content } }) }
}

interface Tally {
  results: number
  images: number
  textBytes: number
}

function pruneBlock(block: JsonValue, overBytes: number, tally: Tally): JsonValue {
  const type = stringAt(block, 'type')
  if (type === 'image' || type === 'document') return pictureNote(block, tally)
  if (type !== 'tool_result' || !isObject(block)) return block
  const { content } = block
  if (typeof content === 'string') return { ...block, content: shorter(content, overBytes, tally) }
  if (!Array.isArray(content)) return block
  return { ...block, content: content.map((one: JsonValue) => pruneInside(one, overBytes, tally)) }
}

function pruneInside(block: JsonValue, overBytes: number, tally: Tally): JsonValue {
  const type = stringAt(block, 'type')
  if (type === 'image' || type === 'document') return pictureNote(block, tally)
  const text = stringAt(block, 'text')
  return type === 'text' && text !== undefined && isObject(block)
    ? { ...block, text: shorter(text, overBytes, tally) }
    : block
}

function shorter(text: string, overBytes: number, tally: Tally): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= overBytes || text.startsWith(MARK)) return text
  tally.results += 1
  tally.textBytes += bytes
  return `${MARK} ${bytes.toLocaleString('en-US')} bytes of this tool result were taken out to save room.]`
}

function pictureNote(block: JsonValue, tally: Tally): JsonObject {
  tally.images += 1
  const type = stringAt(block, 'type') ?? 'image'
  const media = stringAt(objectAt(block, 'source'), 'media_type')
  return { type: 'text', text: `${MARK} ${type}${media === undefined ? '' : ` (${media})`} taken out to save room.]` }
}

/** What a placeholder begins with: it is never pruned again. */
const MARK = '[pruned:'
