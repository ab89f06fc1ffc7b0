import { textAt } from '../core/json.ts'
import { readLine } from '../core/log/record.ts'
import { readUpTo } from '../disk/read-start.ts'
import type { Source, SourceEntry } from '../disk/source.ts'

/** Whose a log is, as its first records say. */
export interface LogHead {
  readonly cwd: string | null
  readonly session: string | null
  readonly slug: string | null
  /** Nothing of it could be read, although there is something. */
  readonly isClosed: boolean
}

/** Most logs name their folder at once; some have a long first record. */
const HEAD_BYTES = [16 * 1024, 1024 * 1024]

/** Reads the beginning of a log, up to the first record that names a folder. */
export function readLogHead(source: Source, entry: SourceEntry): LogHead {
  let head: LogHead = { ...NOTHING, isClosed: false }
  for (const size of HEAD_BYTES) {
    head = headIn(source, entry, Math.min(size, entry.sizeBytes))
    if (head.cwd !== null || entry.sizeBytes <= size) break
  }
  return head
}

function headIn(source: Source, entry: SourceEntry, size: number): LogHead {
  const head = { ...NOTHING }
  const buffer = readUpTo(source, entry, 0, size)
  for (let from = 0, line = 1; from < buffer.length; line++) {
    const newline = buffer.indexOf(0x0a, from)
    if (newline === -1) break
    for (const { raw } of readLine(buffer.subarray(from, newline), PLACE).value) {
      head.cwd ??= textAt(raw, 'cwd') ?? null
      head.session ??= textAt(raw, 'sessionId') ?? null
      head.slug ??= textAt(raw, 'slug') ?? null
    }
    if (head.cwd !== null && (head.slug !== null || line > SLUG_LINES)) break
    from = newline + 1
  }
  return { ...head, isClosed: buffer.length === 0 && size > 0 }
}

const NOTHING = { cwd: null as string | null, session: null as string | null, slug: null as string | null }
const PLACE = { file: '', line: 0, offset: 0, length: 0 }
const SLUG_LINES = 20
