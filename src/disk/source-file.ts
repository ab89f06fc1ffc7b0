import type { DiskSource } from './disk-source.ts'
import { relativePath } from './layout.ts'
import { startOf } from './read-start.ts'
import { asJson, isoTime, type SmallFile } from './small-file.ts'
import type { Source, SourceEntry } from './source.ts'
import type { Warning } from './warning.ts'

/** Opens the files of some roots that are chosen by their paths below a root; folders end with `/`. */
export type OpenFiles = (include: (relativePath: string) => boolean) => DiskSource

/** A file beside the logs, and its path below its root in parts. */
export interface FileBeside {
  readonly source: Source
  readonly entry: SourceEntry
  readonly parts: readonly string[]
}

/** Goes through the chosen files in the order of their names. */
export function filesBeside<T>(
  open: OpenFiles,
  include: (relativePath: string) => boolean,
  take: (file: FileBeside) => readonly T[],
): T[] {
  const source = open(include)
  try {
    const entries = [...source.list()].sort((a, b) => (a.path < b.path ? -1 : 1))
    return entries.flatMap((entry) => take({ source, entry, parts: relativePath(entry).split('/') }))
  } finally {
    source.close()
  }
}

/** Its bytes; one that is gone is quietly `undefined`, one that is too large a warning. */
export function bytesOf({ source, entry }: FileBeside, warnings: Warning[]): Uint8Array | undefined {
  const bytes = startOf(source, entry, MOST_BYTES + 1)
  if (!bytes || bytes.length <= MOST_BYTES) return bytes
  const message = `It has ${entry.sizeBytes} bytes, more than the ${MOST_BYTES} that are read of such a file.`
  warnings.push({ file: entry.path, message })
  return undefined
}

/** Its text and what is known about it. */
export function textFile(file: FileBeside, warnings: Warning[]): SmallFile | undefined {
  const bytes = bytesOf(file, warnings)
  if (!bytes) return undefined
  const { path, modifiedAt } = file.entry
  const text = new TextDecoder().decode(bytes)
  return { path, text, sizeBytes: bytes.length, modifiedAt: isoTime(modifiedAt) }
}

/** The same as JSON; what is none is a warning. */
export function jsonFile(beside: FileBeside, warnings: Warning[]): ReturnType<typeof asJson> {
  return asJson(textFile(beside, warnings), warnings)
}

const MOST_BYTES = 64 * 1024 * 1024
