import type { TeamRow } from '../../row.ts'

/** A row with what its table holds beside it. */
export interface StagedRow {
  readonly row: TeamRow
  /** Milliseconds since 1970; null without a time that a table can hold. */
  readonly at: number | null
  /** The partition it falls into: the first of its month, or of 1970 where it has no time. Made from the row alone. */
  readonly month: number
  readonly isFork: boolean
  readonly isPlaceholder: boolean
}

/** Twice that, and what goes with it, has to fit into one text. */
const MOST_CONTENT = 240 * 1024 * 1024
/** An entry of an index is at most 2,700 bytes. */
const MOST_NAME = 1_000
const EARLIEST = Date.UTC(1990, 0)
const LATEST = Date.UTC(2200, 0)
const NO_TIME = Date.UTC(1970, 0)
const PLACEHOLDER_TOKENS = 8

/** Makes a row ready; a sentence where no table could ever take it. */
export function stageRow(row: TeamRow): StagedRow | string {
  const wrong = whatIsWrong(row)
  if (wrong !== undefined) return wrong
  const ms = row.timestamp === null ? Number.NaN : Date.parse(row.timestamp)
  const at = ms >= EARLIEST && ms < LATEST ? ms : null
  const date = at === null ? undefined : new Date(at)
  const month = date ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) : NO_TIME
  return { row, at, month, ...factsOf(row) }
}

function whatIsWrong(row: TeamRow): string | undefined {
  for (const key of NAMES) {
    const value = row[key]
    if (value !== null && value.length > MOST_NAME / 3 && Buffer.byteLength(value) > MOST_NAME) {
      return `Its ${key} is longer than ${MOST_NAME} bytes.`
    }
  }
  const { generation, offset, line, length, content, tokens } = row
  const isPlace = [offset, line, length].every((it) => Number.isSafeInteger(it) && it >= 0)
  if (!isPlace || !Number.isInteger(generation) || generation < 0 || generation > 0x7fff_ffff) {
    return 'Its place is no place in a file.'
  }
  if (tokens && !Object.values(tokens).every((it) => Number.isSafeInteger(it)))
    return 'Its token counts are not whole numbers.'
  return content.length > MOST_CONTENT ? `It is larger than ${MOST_CONTENT} bytes.` : undefined
}

const NAMES = ['machine', 'file', 'user', 'project', 'session', 'agent', 'messageId', 'requestId'] as const

/** Outside of strings only: within one, a quote has a backslash before it. Contents are written without blanks. */
const FORKED = Buffer.from('"forkedFrom":{')
const STOPPED = Buffer.from('"stop_reason":"')

function factsOf({ content, tokens }: TeamRow): Pick<StagedRow, 'isFork' | 'isPlaceholder'> {
  if (tokens === null) return { isFork: false, isPlaceholder: false }
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const isPlaceholder = tokens.outputTokens <= PLACEHOLDER_TOKENS && !bytes.includes(STOPPED)
  return { isFork: bytes.includes(FORKED), isPlaceholder }
}
