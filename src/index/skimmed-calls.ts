import { type CallAnswer, contentBytes, type MadeCall, NO_NOTE, NOTE_FIELDS, noteIn } from '../core/facts/call-rows.ts'
import { parseJson } from '../core/json.ts'
import * as at from '../core/skim/layout.ts'
import type { Skimmer } from '../core/skim/skimmer.ts'
import type { RowCalls } from './text-batch.ts'

/** Whether a plain row makes calls or, where that is wanted, answers some. */
export function hasCalls(skimmer: Skimmer, row: number, orAnswers: boolean): boolean {
  for (let i = 0; i < skimmer.blockCount(row); i++) {
    const kind = skimmer.blockKind(row, i)
    if (isCall(kind) || (orAnswers && isAnswer(kind))) return true
  }
  return false
}

/**
 * The same as `callsMade` and `callsAnswered` give of its record, `isWhole` with what answers told. Of several calls in a row nobody
 * knows which file is whose: the parser does.
 */
export function skimmedCalls(
  skimmer: Skimmer,
  row: number,
  files: readonly string[],
  isWhole: boolean,
): RowCalls | 'left' {
  const isByUser = skimmer.name(row, at.TYPE) === 'user'
  const calls: MadeCall[] = []
  const answers: CallAnswer[] = []
  for (let i = 0; i < skimmer.blockCount(row); i++) {
    const { kind, id, name, isError } = skimmer.block(row, i)
    if (isCall(kind) && !isByUser) {
      const isByApi = kind === at.SERVER_CALL_BLOCK
      calls.push({ id: id ?? '', tool: name ?? 'unknown', path: files[0] ?? null, isByApi })
    } else if (id && kind === (isByUser ? at.RESULT_BLOCK : at.SERVER_RESULT_BLOCK)) {
      const { resultBytes, tookMs, added, removed } = isWhole ? toldBy(skimmer, row, i, isError) : NOTHING_TOLD
      answers.push({ id, isError, resultBytes, tookMs, added, removed })
    }
  }
  return calls.length > 1 && files.length > 0 ? 'left' : { calls, answers }
}

function isCall(kind: number): boolean {
  return kind === at.CALL_BLOCK || kind === at.SERVER_CALL_BLOCK
}

function isAnswer(kind: number): boolean {
  return kind === at.RESULT_BLOCK || kind === at.SERVER_RESULT_BLOCK
}

type Told = Omit<CallAnswer, 'id' | 'isError'>

const NOTHING_TOLD: Told = { resultBytes: 0, ...NO_NOTE }

/** What is told of an answer. Most details note nothing, and are long: only those are parsed that may. */
function toldBy(skimmer: Skimmer, row: number, i: number, isError: boolean): Told {
  const content = bytesAt(skimmer, skimmer.blocks, skimmer.blockWord(row, i) + at.BLOCK_VALUE)
  const details = bytesAt(skimmer, skimmer.rows, row * at.ROW_WORDS + at.DETAILS)
  const hasNote = NOTE_FIELDS.some((field) => details.includes(field))
  const { tookMs, added, removed } = hasNote ? noteIn(parseJson(details.toString()), isError) : NO_NOTE
  return { resultBytes: bytesOf(skimmer, content), tookMs, added, removed }
}

const QUOTE = 0x22

function bytesOf({ engine }: Skimmer, content: Buffer): number {
  const length = content[0] === QUOTE ? engine.decodedLength(content.byteOffset, content.length) : -1
  return length === -1 ? contentBytes(content) : length
}

/** The bytes of a JSON value whose place stands in a table. */
function bytesAt(skimmer: Skimmer, table: Int32Array, word: number): Buffer {
  const length = table[word + 1] as number
  const { buffer, byteOffset } = skimmer.slice(table[word] as number, Math.max(0, length))
  return Buffer.from(buffer as ArrayBuffer, byteOffset, Math.max(0, length))
}
