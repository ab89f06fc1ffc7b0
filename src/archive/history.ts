import { fieldAt, isObject, parseJson, textAt } from '../core/json.ts'
import { purgedHash } from './purged.ts'

/** Whose a line of the prompt history is, and which pasted texts it names. */
interface HistoryLine {
  readonly session: string | null
  readonly pastes: readonly string[]
}

/** The prompt history without the lines of purged sessions. All other lines are left as they are, byte for byte. */
export function withoutPurged(bytes: Buffer, purged: ReadonlyMap<string, string>): Buffer {
  if (purged.size === 0) return bytes
  return withoutLines(bytes, ({ session }) => session !== null && purged.has(purgedHash(session))).kept
}

/** Takes lines out of a prompt history, and tells which pasted texts only they named. */
export function withoutLines(
  bytes: Buffer,
  isOut: (line: HistoryLine) => boolean,
): { readonly kept: Buffer; readonly pastes: ReadonlySet<string>; readonly others: ReadonlySet<string> } {
  const kept: Buffer[] = []
  const pastes = new Set<string>()
  const others = new Set<string>()
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(10, from)
    const to = newline === -1 ? bytes.length : newline + 1
    const line = readHistoryLine(bytes.toString('utf8', from, to))
    const out = isOut(line)
    if (!out) kept.push(bytes.subarray(from, to))
    for (const hash of line.pastes) (out ? pastes : others).add(hash)
    from = to
  }
  return { kept: kept.length === 0 ? Buffer.alloc(0) : Buffer.concat(kept), pastes, others }
}

/** Where the last whole line ends: only whole lines can be told apart. */
export function endOfLines(bytes: Uint8Array): number {
  return bytes.lastIndexOf(10) + 1
}

/** How many lines there are. */
export function countLines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1
  return count
}

function readHistoryLine(text: string): HistoryLine {
  const value = parseJson(text)
  const pasted = fieldAt(value, 'pastedContents')
  const contents = typeof pasted === 'object' && pasted !== null ? Object.values(pasted) : []
  const pastes = contents.flatMap((one) => (isObject(one) ? (textAt(one, 'contentHash') ?? []) : []))
  return { session: textAt(value, 'sessionId') ?? null, pastes }
}
