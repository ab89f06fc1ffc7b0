import { readLine } from '../../core/log/record.ts'
import { rowKind } from '../../core/log/row-kind.ts'
import { startOf } from '../../disk/read-start.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'
import { usualChoices } from '../choices.ts'
import { type CollectedFile, classOf, collectedFile, FILE_CLASSES, type FileClass } from '../collected-files.ts'
import { documentSign } from '../due-documents.ts'
import type { IgnoreTest } from '../ignore.ts'
import { readLogHead } from '../log-head.ts'
import type { CollectState } from '../state.ts'
import type { CollectSetup } from './setup.ts'
import type { Collection } from './shape.ts'

/** A file of which something has not been delivered. */
export interface Behind {
  readonly entry: SourceEntry
  readonly class: FileClass
  readonly sentBytes: number
}

/** The logs that are behind at a destination, as far as this machine remembers. Documents are not counted. */
export function logsBehind(
  source: Source,
  { tracked }: Pick<CollectState, 'tracked'>,
  isIgnored: IgnoreTest,
): readonly Behind[] {
  const offsets = new Map(tracked.map(({ cursor }) => [cursor.path, cursor.offset]))
  return [...source.list()].flatMap((entry) => {
    // Logs leave whatever was chosen.
    const file = collectedFile(entry, usualChoices(false))
    if (!file || file.role === 'document') return []
    const offset = offsets.get(entry.path) ?? 0
    const sentBytes = offset <= entry.sizeBytes ? offset : 0
    if (sentBytes === entry.sizeBytes) return []
    if (file.role === 'log' && isIgnored(readLogHead(source, entry).cwd)) return []
    return isWarmupOnly(source, file) ? [] : [{ entry, class: classOf(file), sentBytes }]
  })
}

/** The documents that have changed since they were delivered, or never were; of projects that are left out too. */
export function documentsBehind(
  source: Source,
  { documents }: Pick<CollectState, 'documents'>,
  { choices, names, maker }: Pick<CollectSetup, 'choices' | 'names' | 'maker'>,
): readonly Behind[] {
  return [...source.list()].flatMap((entry) => {
    const file = collectedFile(entry, choices)
    if (file?.role !== 'document') return []
    const isSent = documents.get(names.file(entry))?.sign === documentSign(maker, entry)
    return isSent ? [] : [{ entry, class: classOf(file), sentBytes: 0 }]
  })
}

/** How much is behind of each class, in the order in which it is sent. */
export function lagOfClasses(behind: readonly Behind[]): Collection['lagByClass'] {
  return FILE_CLASSES.flatMap((name) => {
    const own = behind.filter((one) => one.class === name)
    if (own.length === 0) return []
    const bytes = own.reduce((sum, { entry, sentBytes }) => sum + entry.sizeBytes - sentBytes, 0)
    const newest = new Date(Math.max(...own.map(({ entry }) => entry.modifiedAt))).toISOString()
    return [{ class: name, files: own.length, bytes, newest }]
  })
}

/** Whether a whole line is among what was not delivered: a writer that was killed may have left half of one for ever. */
export function hasWholeLine(source: Source, { entry, sentBytes }: Behind): boolean {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  for (let at = sentBytes; at < entry.sizeBytes; ) {
    const count = source.read(entry, at, buffer) ?? 0
    if (count === 0) return false
    if (buffer.subarray(0, count).includes(0x0a)) return true
    at += count
  }
  return false
}

const CHUNK_BYTES = 64 * 1024

/** Agents that were only warmed up are not collected. */
function isWarmupOnly(source: Source, { entry, kind }: CollectedFile): boolean {
  if (kind !== 'agent' || entry.sizeBytes > CHUNK_BYTES) return false
  const text = startOf(source, entry, CHUNK_BYTES)
  if (!text || text.length === 0 || text.indexOf(0x0a) !== text.length - 1) return false
  const [record, ...more] = readLine(text.subarray(0, -1), { file: entry.path, line: 1, offset: 0, length: 0 }).value
  return record?.type === 'user' && more.length === 0 && rowKind(record.raw, record.type) === 'warmup'
}
