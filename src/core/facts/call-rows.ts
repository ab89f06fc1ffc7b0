import { booleanAt, fieldAt, type JsonValue, objectAt, parseJson, stringAt, textAt } from '../json.ts'
import { blocksOf, joinText, toBlocks } from '../log/content.ts'
import type { LogRecord } from '../log/record.ts'
import { durationOf, fileOf, hunksAt } from '../tools/tool-call.ts'

/** A call of a tool, as far as figures need it: plain data, which can be kept. */
export interface MadeCall {
  /** Empty where the row names none. */
  readonly id: string
  readonly tool: string
  /** The file that it is about. */
  readonly path: string | null
  /** The API ran it itself while it answered. */
  readonly isByApi: boolean
}

/** What came back for a call. */
export interface CallAnswer extends AnswerNote {
  readonly id: string
  readonly isError: boolean
  /** Of the text that the model was given, in UTF-8. */
  readonly resultBytes: number
}

/** What the client noted beside an answer. */
export interface AnswerNote {
  /** How long the client says that it took. */
  readonly tookMs: number | null
  /** Lines that a change of a file added and removed. */
  readonly added: number | null
  readonly removed: number | null
}

export const NO_NOTE: AnswerNote = { tookMs: null, added: null, removed: null }

/** The calls that a row makes. */
export function callsMade({ type, raw }: LogRecord): readonly MadeCall[] {
  if (type !== 'assistant') return []
  return blocksOf(raw).flatMap((block) => {
    const kind = stringAt(block, 'type') ?? ''
    if (!kind.endsWith('tool_use')) return []
    const input = objectAt(block, 'input') ?? {}
    return [
      {
        id: stringAt(block, 'id') ?? '',
        tool: stringAt(block, 'name') ?? 'unknown',
        path: fileOf(input) ?? textAt(input, 'filePath') ?? null,
        isByApi: kind !== 'tool_use',
      },
    ]
  })
}

/** The calls that a row answers: a user row those of the client, an assistant's own row those that the API ran. */
export function callsAnswered({ type, raw }: LogRecord): readonly CallAnswer[] {
  if (type !== 'user' && type !== 'assistant') return []
  return blocksOf(raw).flatMap((block) => {
    const kind = stringAt(block, 'type') ?? ''
    const id = textAt(block, 'tool_use_id')
    if (!id || !kind.endsWith('tool_result') || (kind === 'tool_result') !== (type === 'user')) return []
    const isError = booleanAt(block, 'is_error') ?? false
    const resultBytes = textBytes(joinText(toBlocks(fieldAt(block, 'content'))))
    return [{ id, isError, resultBytes, ...noteIn(fieldAt(raw, 'toolUseResult'), isError) }]
  })
}

/** What the client noted in a row's `toolUseResult`. */
export function noteIn(details: JsonValue | undefined, isError: boolean): AnswerNote {
  const lines = changedLines(details, isError)
  return {
    tookMs: durationOf(details) ?? null,
    added: lines ? lines.filter((line) => line.startsWith('+')).length : null,
    removed: lines ? lines.filter((line) => line.startsWith('-')).length : null,
  }
}

/** Texts of which one stands in every `toolUseResult` that has a note. */
export const NOTE_FIELDS = ['uration', 'structuredPatch'] as const

function changedLines(details: JsonValue | undefined, isError: boolean): readonly string[] | undefined {
  if (fieldAt(details, 'structuredPatch') === undefined) return undefined
  const patch = hunksAt(details, 'structuredPatch')
  if (patch) return patch.flatMap(({ lines }) => lines)
  const content = stringAt(details, 'content')
  // A new file has no patch: all its lines were added.
  const isNew = !isError && stringAt(details, 'type') === 'create'
  return isNew
    ? content
        ?.replace(/\n$/, '')
        .split('\n')
        .map(() => '+')
    : undefined
}

/** The bytes of the text that a JSON value of a result's `content` has: as `resultBytes` counts them. */
export function contentBytes(json: Uint8Array): number {
  if (json[0] === QUOTE) return stringBytes(json)
  if (json[0] !== BRACKET) return 0
  return textBytes(joinText(toBlocks(parseJson(decoder.decode(json)))))
}

const QUOTE = 0x22
const BRACKET = 0x5b
const BACKSLASH = 0x5c
const LETTER_U = 0x75

/** How long a JSON string is in UTF-8 once its escapes are resolved. */
function stringBytes(json: Uint8Array): number {
  const end = json.length - 1
  let bytes = end - 1
  for (let i = 1; i < end; i++) {
    if (json[i] !== BACKSLASH) continue
    i += 1
    if (json[i] !== LETTER_U) {
      bytes -= 1
      continue
    }
    const code = codeAt(json, i + 1)
    i += 4
    const isPair = code >= 0xd800 && code <= 0xdbff && json[i + 1] === BACKSLASH && json[i + 2] === LETTER_U
    const low = isPair ? codeAt(json, i + 3) : 0
    if (low >= 0xdc00 && low <= 0xdfff) {
      bytes -= 12 - 4
      i += 6
    } else bytes -= 6 - (code < 0x80 ? 1 : code < 0x800 ? 2 : 3)
  }
  return bytes
}

function codeAt(json: Uint8Array, from: number): number {
  return Number.parseInt(String.fromCharCode(...json.subarray(from, from + 4)), 16)
}

function textBytes(text: string): number {
  let length = 0
  for (let at = 0; at < text.length; ) {
    const { read, written } = encoder.encodeInto(at === 0 ? text : text.slice(at), scratch)
    at += read
    length += written
  }
  return length
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const scratch = new Uint8Array(64 * 1024)
