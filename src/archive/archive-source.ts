import { join, resolve } from 'node:path'
import { Failure } from '../core/failure.ts'
import { textAt } from '../core/json.ts'
import { type DiskOptions, diskSource, isInProjects } from '../disk/disk-source.ts'
import { placeOf, relativePath } from '../disk/layout.ts'
import { readHead } from '../disk/page.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { isAbsent } from '../disk/unreadable.ts'
import type { Warning } from '../disk/warning.ts'
import { type Archive, noArchive, readArchive } from './archive.ts'
import { type KeptFile, newest } from './kept-state.ts'
import type { Frame } from './manifest-line.ts'
import { NOTHING_PURGED, purgedTest } from './purged.ts'

/** Frames that are kept unpacked: a log is read in order, an agent's between its session's. */
const MOST_UNPACKED = 8

/** So much of a log says whose it is. */
const HEAD = { records: 3, bytes: 256 * 1024 }

/** The newest generation of every file in an archive, of all roots. */
export function archiveSource(archive: Archive, onProblem: (warning: Warning) => void = () => {}): Source {
  const files = new Map<string, KeptFile>()
  for (const file of archive.manifest.state.files.values()) {
    if (!file.isDamaged) files.set(join(file.root, file.path), file)
  }
  const unpacked = new Map<string, Buffer>()

  function unpack(frame: Frame): Buffer | undefined {
    const known = unpacked.get(frame.sha256)
    if (known) return known
    const bytes = archive.objects.read(frame)
    if (typeof bytes === 'string') {
      onProblem({ file: archive.objects.path(frame.sha256), message: `The archive is damaged: ${bytes}.` })
      return undefined
    }
    const [oldest] = unpacked.keys()
    if (unpacked.size >= MOST_UNPACKED && oldest !== undefined) unpacked.delete(oldest)
    unpacked.set(frame.sha256, bytes)
    return bytes
  }

  return {
    *list() {
      for (const [path, file] of files) {
        const seen = newest(file)?.seen
        if (seen) {
          yield { root: file.root, path, sizeBytes: seen.bytes, modifiedAt: seen.modifiedAt, kept: true, gone: true }
        }
      }
    },
    read(entry, offset, into) {
      const file = files.get(entry.path)
      const frames = file && newest(file)?.frames
      if (!frames) return undefined
      const frame = frameAt(frames, offset)
      if (!frame) return 0
      const bytes = unpack(frame)
      return bytes?.copy(into, 0, offset - frame.offset)
    },
  }
}

function frameAt(frames: readonly Frame[], offset: number): Frame | undefined {
  let low = 0
  let high = frames.length
  while (low < high) {
    const middle = (low + high) >> 1
    const frame = frames[middle] as Frame
    if (frame.offset + frame.rawBytes <= offset) low = middle + 1
    else high = middle
  }
  return frames[low]
}

/**
 * The disk with an archive behind it: a file that the disk lacks comes from the archive, in its old place. What was purged is
 * not there, wherever it lies.
 */
export function withArchive(folder: string): typeof diskSource {
  return (roots, options = {}) => {
    const include = options.include ?? isInProjects
    const named = new Set(roots.map((root) => resolve(root)))
    let opened: { readonly archive: Archive; readonly source: Source } | undefined
    let purged = NOTHING_PURGED
    /** What the last listing found in the archive only. */
    const gone = new Set<string>()
    const disk = diskSource(roots, { ...options, include: (path) => include(path) && !purged.isFile(path) })

    function open() {
      const archive = readOrEmpty(folder, options)
      opened = { archive, source: archiveSource(archive, options.onProblem) }
      purged = purgedTest(archive.manifest.state.purged)
      return opened
    }

    /** The flat log of an agent says only inside whose it is. */
    function isOfPurged(source: Source, entry: SourceEntry): boolean {
      if (purged === NOTHING_PURGED) return false
      const place = placeOf(relativePath(entry))
      if (place.kind !== 'agent' || place.session !== null) return false
      const { records } = readHead(source, entry, HEAD)
      return records.some(({ raw }) => purged.isSession(textAt(raw, 'sessionId') ?? ''))
    }

    return {
      *list() {
        gone.clear()
        // Most people have no archive, and to read none takes as long as to read one.
        if (isAbsent(folder)) {
          purged = NOTHING_PURGED
          return yield* disk.list()
        }
        const { archive, source } = open()
        if (archive.manifest.state.files.size === 0 && purged === NOTHING_PURGED) return yield* disk.list()
        const onDisk = new Set<string>()
        for (const entry of disk.list()) {
          onDisk.add(entry.path)
          if (isOfPurged(disk, entry)) continue
          yield isKept(archive, entry) ? { ...entry, kept: true } : entry
        }
        for (const entry of source.list()) {
          const path = relativePath(entry)
          if (
            onDisk.has(entry.path) ||
            !named.has(entry.root) ||
            !include(path) ||
            purged.isFile(path) ||
            isOfPurged(source, entry)
          )
            continue
          gone.add(entry.path)
          yield entry
        }
      },
      unreadable: () => disk.unreadable?.() ?? [],
      read(entry, offset, into) {
        const count = gone.has(entry.path) ? undefined : disk.read(entry, offset, into)
        return count ?? (opened ?? open()).source.read(entry, offset, into)
      },
      close() {
        disk.close()
        opened = undefined
      },
    }
  }
}

/** Whether the archive has all of a file as it is now. */
function isKept({ manifest }: Archive, entry: SourceEntry): boolean {
  if (manifest.state.files.size === 0) return false
  const file = manifest.state.find(entry.root, relativePath(entry))
  const seen = file && newest(file)?.seen
  return seen !== undefined && seen.bytes === entry.sizeBytes && seen.modifiedAt === entry.modifiedAt
}

/** An archive that cannot be read must not keep anyone from reading the logs. */
function readOrEmpty(folder: string, { onProblem }: DiskOptions): Archive {
  try {
    const archive = readArchive(folder)
    if (archive.manifest.damage.length > 0) {
      onProblem?.({ file: archive.manifest.path, message: 'The archive is damaged: run `annals keep verify`.' })
    }
    return archive
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    onProblem?.({ file: folder, message: error.message })
    return noArchive(folder)
  }
}
