import { join } from 'node:path'
import { grouped } from '../core/grouped.ts'
import { type Lock, takeLock } from '../state/lock.ts'
import { asFailure, makePrivateFolder } from '../state/private-file.ts'
import type { KeptFile, KeptGeneration } from './kept-state.ts'
import { Manifest } from './manifest.ts'
import { Objects } from './objects.ts'

/** An archive as it stands, to be read. */
export interface Archive {
  readonly folder: string
  readonly manifest: Manifest
  readonly objects: Objects
}

/** An archive while this process alone may change it. */
export interface OpenArchive extends Archive {
  readonly lock: Lock
}

/** What an archive, or a part of it, amounts to. */
export interface Amount {
  readonly files: number
  readonly bytesRaw: number
  /** Objects that several files share count once. */
  readonly bytesStored: number
}

/** Where the archive lies below the folder of our data. */
export function archiveFolder(dataDir: string): string {
  return join(dataDir, 'archive')
}

/** Reads what an archive holds. One that does not exist holds nothing. */
export function readArchive(folder: string): Archive {
  const objects = new Objects(folder)
  return { folder, manifest: new Manifest(folder, () => !objects.hashes().next().done), objects }
}

/** An archive without anything. */
export function noArchive(folder: string): Archive {
  return { folder, manifest: new Manifest(undefined), objects: new Objects(folder) }
}

/** Opens an archive for a change and closes it when that is done. Errors of the disk become sentences. */
export async function changeArchive<T>(
  folder: string,
  change: (archive: OpenArchive) => T | Promise<T>,
  options: { readonly waitMs?: number } = {},
): Promise<T> {
  try {
    makePrivateFolder(join(folder, '..'))
    const lock = takeLock(folder, options)
    try {
      makePrivateFolder(join(folder, 'data'))
      return await change({ ...readArchive(folder), lock })
    } finally {
      lock.release()
    }
  } catch (error) {
    throw asFailure(error, folder)
  }
}

/** The files of a session. */
export function filesOf({ manifest }: Archive, session: string, root?: string): readonly KeptFile[] {
  return [...manifest.state.files.values()].filter(
    (file) => file.owner === session && (root === undefined || file.root === root),
  )
}

/** The size of some files: all their generations. */
export function amountOf(files: Iterable<KeptFile>): Amount {
  let count = 0
  let bytesRaw = 0
  const stored = new Map<string, number>()
  for (const file of files) {
    count += 1
    for (const generation of file.generations) {
      for (const { rawBytes, storedBytes, sha256 } of generation.frames) {
        bytesRaw += rawBytes
        stored.set(sha256, storedBytes)
      }
    }
  }
  let bytesStored = 0
  for (const size of stored.values()) bytesStored += size
  return { files: count, bytesRaw, bytesStored }
}

/** The sessions in an archive, by root and id. */
export function sessionsOf({ manifest }: Archive): readonly KeptSession[] {
  const keyOf = ({ root, owner }: KeptFile) => (owner === null ? undefined : `${root}\0${owner}`)
  const sessions = grouped(manifest.state.files.values(), keyOf).values()
  return Array.from(sessions, (files) => ({ id: files[0].owner as string, root: files[0].root, files }))
}

/** A session as the archive holds it. */
export interface KeptSession {
  readonly id: string
  readonly root: string
  readonly files: readonly KeptFile[]
}

/** The content of a generation, frame by frame; fails with words where a frame is damaged. */
export function* readGeneration(
  { objects }: Archive,
  generation: KeptGeneration,
  options: { readonly thorough?: boolean } = { thorough: true },
): Generator<Buffer, string | undefined> {
  for (const frame of generation.frames) {
    const bytes = objects.read(frame, options)
    if (typeof bytes === 'string') return `${objects.path(frame.sha256)}: ${bytes}`
    yield bytes
  }
  return undefined
}

/** The content of a generation whole, or what is wrong with it. */
export function readContent(archive: Archive, generation: KeptGeneration): Buffer | string {
  const parts: Buffer[] = []
  const reading = readGeneration(archive, generation)
  for (let step = reading.next(); ; step = reading.next()) {
    if (step.done) return step.value ?? Buffer.concat(parts)
    parts.push(step.value)
  }
}
