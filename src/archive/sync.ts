import { join } from 'node:path'
import { advance } from '../disk/cursor.ts'
import { diskSource } from '../disk/disk-source.ts'
import { relativePath } from '../disk/layout.ts'
import { readUpTo } from '../disk/read-start.ts'
import type { Source } from '../disk/source.ts'
import type { Sighting } from '../disk/survey.ts'
import type { Warning } from '../disk/warning.ts'
import { syncFolder } from '../state/private-file.ts'
import { changeArchive, type OpenArchive } from './archive.ts'
import { endOfLines, withoutPurged } from './history.ts'
import { HISTORY, isKeptFile } from './kept-files.ts'
import { endOf, type KeptFile, type KeptGeneration, newest } from './kept-state.ts'
import type { Frame, Line } from './manifest-line.ts'
import { cut, LEAST_FRAME_BYTES, type Piece } from './objects.ts'
import type { ArchiveProblem } from './problems.ts'
import { purgedTest } from './purged.ts'
import { type SurveyOptions, shortHash, surveyRoots } from './survey.ts'
import { endOfPieces, ownersOf, type Step } from './sync-step.ts'
import { makeReady } from './upkeep.ts'

/** What is to be kept. */
export interface SyncOptions extends SurveyOptions {
  readonly now: Date
  /** Stop after about so long; what is done is kept. */
  readonly withinMs?: number
  /** How long another process is waited for. */
  readonly waitMs?: number
  /** Removes nothing that a killed process left. */
  readonly leavesLeftovers?: boolean
  readonly progress?: (doneBytes: number, totalBytes: number) => void
}

/** What a sync took. */
export interface Synced {
  readonly taken: readonly TakenFile[]
  /** Raw bytes taken, and what they added to the archive. */
  readonly bytesRaw: number
  readonly bytesStored: number
  /** Everything that was wanted is in the archive now. */
  readonly isComplete: boolean
  readonly problems: readonly Warning[]
  /** What is wrong with the archive itself: then nothing was written. */
  readonly damage: readonly ArchiveProblem[]
}

/** A file of which something was taken. */
export interface TakenFile {
  readonly root: string
  readonly path: string
  readonly owner: string | null
  readonly bytesRaw: number
  readonly isNewGeneration: boolean
}

/** About so much goes into one transaction; less where time is short. */
const BATCH_BYTES = 16 * 1024 * 1024
const SHORT_BATCH_BYTES = 2 * 1024 * 1024
const BATCH_FILES = 256

/** Takes into the archive what the roots have that it does not. What is appended costs its own bytes. */
export function syncArchive(folder: string, options: SyncOptions): Promise<Synced> {
  const { waitMs } = options
  return changeArchive(
    folder,
    async (archive) => {
      const damage = await makeReady(archive, options)
      const none = { taken: [], bytesRaw: 0, bytesStored: 0, isComplete: false, problems: [], damage }
      return damage.length > 0 ? none : new Sync(archive, options).run()
    },
    { ...(waitMs !== undefined && { waitMs }) },
  )
}

class Sync {
  readonly #archive: OpenArchive
  readonly #options: SyncOptions
  readonly #references: Map<string, number>
  readonly #start = performance.now()
  readonly #problems: Warning[] = []
  readonly #taken = new Map<string, TakenFile>()
  readonly #batchBytes: number
  readonly #roots = new Map<string, number>()
  #nextId: number
  #steps: Step[] = []
  #stepBytes = 0
  #bytesRaw = 0
  #bytesStored = 0

  constructor(archive: OpenArchive, options: SyncOptions) {
    this.#archive = archive
    this.#options = options
    this.#references = archive.manifest.state.references()
    this.#nextId = archive.manifest.state.nextFileId
    this.#batchBytes = options.withinMs === undefined ? BATCH_BYTES : SHORT_BATCH_BYTES
    for (const [id, root] of archive.manifest.state.roots) this.#roots.set(root, id)
  }

  async run(): Promise<Synced> {
    const { state } = this.#archive.manifest
    const purged = purgedTest(state.purged)
    const disk = diskSource(this.#options.roots, {
      include: (path) => isKeptFile(path) && !purged.isFile(path),
      onProblem: (warning) => this.#problems.push(warning),
    })
    try {
      const { work, ownerOf } = surveyRoots(disk, state, this.#options)
      const total = work.reduce((sum, { entry, cursor }) => sum + Math.max(0, entry.sizeBytes - cursor.offset), 0)
      let isComplete = true
      for (const sighting of work) {
        const owner = ownerOf(sighting.entry)
        if (owner !== null && purged.isSession(owner)) continue
        isComplete = !this.#isLate() && (await this.#take(sighting, disk, owner, total))
        if (!isComplete) break
      }
      await this.#flush()
      this.#finish()
      const taken = [...this.#taken.values()]
      const { bytesRaw, bytesStored } = { bytesRaw: this.#bytesRaw, bytesStored: this.#bytesStored }
      return { taken, bytesRaw, bytesStored, isComplete, problems: this.#problems, damage: [] }
    } finally {
      disk.close()
    }
  }

  #isLate(): boolean {
    const { withinMs } = this.#options
    return withinMs !== undefined && performance.now() - this.#start > withinMs
  }

  /** Takes what is new of a file. Says whether there was time for all of it. */
  async #take(sighting: Sighting, disk: Source, owner: string | null, total: number): Promise<boolean> {
    const { entry, look } = sighting
    const path = relativePath(entry)
    const known = this.#known(sighting)
    const before = known?.generations.length ?? 0
    // Without a cursor that could be read, a known file is taken anew.
    const isNewGeneration = before === 0 || look.kind === 'new-generation' || look.kind === 'new'
    const generation = isNewGeneration ? before + 1 : before
    const id = known?.id ?? this.#nextId++
    let kept = known && !isNewGeneration ? newest(known) : undefined
    let isNewFile = !known || known.path !== path || known.root !== entry.root
    for (let { cursor } = sighting; ; ) {
      const length = Math.min(this.#batchBytes, entry.sizeBytes - cursor.offset)
      // It may have been shorter when it was listed than when it was looked at, or be shorter now.
      const read = readUpTo(disk, entry, cursor.offset, Math.max(0, length))
      if (read.length !== length) {
        this.#problems.push({ file: entry.path, message: 'It changed while it was being read; the next run keeps it.' })
        return true
      }
      const bytes = path === HISTORY ? read.subarray(0, endOfLines(read)) : read
      // Half a line of the history waits for its other half.
      if (bytes.length === 0 && length > 0 && !isNewFile && !isNewGeneration) return true
      cursor = advance(cursor, disk, entry, { offset: cursor.offset + bytes.length, line: 0, bytes }, shortHash)
      cursor = { ...cursor, generation }
      const { purged } = this.#archive.manifest.state
      const pieces = this.#pack(kept, path === HISTORY ? withoutPurged(bytes, purged) : bytes)
      const end = pieces.length > 0 ? endOfPieces(pieces) : kept ? endOf(kept) : 0
      this.#steps.push({ entry, path, owner, id, isNewFile, generation, pieces, bytes: end, cursor })
      this.#stepBytes += bytes.length
      this.#bytesRaw += bytes.length
      if (bytes.length > 0 || isNewFile || isNewGeneration) {
        const { root } = entry
        this.#note({ root, path, owner, bytesRaw: bytes.length, isNewGeneration: isNewGeneration && before > 0 })
      }
      isNewFile = false
      const isEnd = bytes.length < length || cursor.offset >= entry.sizeBytes
      if (!isEnd || this.#stepBytes >= this.#batchBytes || this.#steps.length >= BATCH_FILES) {
        await this.#flush()
        this.#options.progress?.(Math.min(this.#bytesRaw, total), total)
      }
      if (isEnd) return true
      if (this.#isLate()) return false
      kept = this.#archive.manifest.state.files.get(id)?.generations[generation - 1]
    }
  }

  /** The file that the archive has under this path, or had under another before it was moved. */
  #known({ entry, look }: Sighting): KeptFile | undefined {
    const { state } = this.#archive.manifest
    if (look.kind !== 'moved') return state.find(entry.root, relativePath(entry))
    return [...state.files.values()].find((file) => join(file.root, file.path) === look.from)
  }

  /** Cuts what is new; a small last frame is packed anew together with it. */
  #pack(kept: KeptGeneration | undefined, bytes: Buffer): readonly Piece[] {
    const last = kept?.frames.at(-1)
    const end = kept ? endOf(kept) : 0
    if (bytes.length === 0 || !last || last.rawBytes >= LEAST_FRAME_BYTES) return cut(bytes, end)
    const before = this.#archive.objects.read(last, { thorough: true })
    // A damaged frame stays as it is, for `verify` to find.
    return typeof before === 'string' ? cut(bytes, end) : cut(Buffer.concat([before, bytes]), last.offset)
  }

  #note(file: TakenFile): void {
    const key = `${file.root}\0${file.path}`
    const before = this.#taken.get(key)
    this.#taken.set(key, before ? { ...before, bytesRaw: before.bytesRaw + file.bytesRaw } : file)
  }

  /** Objects first, then the one transaction that makes them count, then what it made idle. */
  async #flush(): Promise<void> {
    const steps = this.#steps
    if (steps.length === 0) return
    this.#steps = []
    this.#stepBytes = 0
    const { manifest, objects, lock } = this.#archive
    const frames = await this.#store(steps)
    syncFolder(objects.folder)
    const idle: Frame[] = []
    const lines = steps.flatMap((step) => this.#linesOf(step, frames, idle))
    lock.check()
    manifest.append(lines, this.#options.now)
    for (const line of lines) if (line.kind === 'frame') this.#count(line.sha256, 1)
    for (const { sha256, storedBytes } of idle) {
      if (this.#count(sha256, -1) > 0) continue
      objects.remove(sha256)
      this.#bytesStored -= storedBytes
    }
  }

  /** Stores pieces that are not stored yet, and notes whose all are; several at a time. */
  async #store(steps: readonly Step[]): Promise<ReadonlyMap<string, Frame>> {
    const { objects, manifest } = this.#archive
    const wanted = new Map(steps.flatMap(({ pieces }) => pieces).map((piece) => [piece.sha256, piece]))
    const stored = new Map<string, Frame>()
    for (const { frame } of manifest.state.frames()) {
      if (wanted.has(frame.sha256) && !stored.has(frame.sha256) && objects.has(frame)) stored.set(frame.sha256, frame)
    }
    // All are waited for, also where one fails: nothing may be written after the lock is gone.
    const done = await Promise.allSettled(
      [...ownersOf(steps, manifest)].map(async ([sha256, owners]) => {
        const piece = wanted.get(sha256)
        if (piece && !stored.has(sha256)) return objects.write(piece, owners)
        await objects.addOwners(sha256, owners)
        return undefined
      }),
    )
    for (const one of done) {
      if (one.status === 'rejected') throw one.reason
      if (one.value === undefined) continue
      stored.set(one.value.sha256, one.value)
      this.#bytesStored += one.value.storedBytes
    }
    return stored
  }

  #linesOf(step: Step, frames: ReadonlyMap<string, Frame>, idle: Frame[]): Line[] {
    const { id: file, generation, entry, path, owner, pieces, bytes, cursor, isNewFile } = step
    const known = this.#archive.manifest.state.files.get(file)?.generations[generation - 1]
    const last = known?.frames.at(-1)
    if (last && pieces[0]?.offset === last.offset) idle.push(last)
    const { path: _, ...kept } = cursor
    return [
      ...(isNewFile ? this.#fileLines(entry.root, { kind: 'file', file, owner, path }) : []),
      ...pieces.map((piece): Line => {
        const frame = frames.get(piece.sha256) as Frame
        return { ...frame, kind: 'frame', file, generation, offset: piece.offset }
      }),
      { kind: 'seen', file, generation, bytes, modifiedAt: entry.modifiedAt, cursor: JSON.stringify(kept) },
    ]
  }

  /** A root gets its number in the transaction that first needs it. */
  #fileLines(root: string, file: Omit<Line & { kind: 'file' }, 'root'>): Line[] {
    const known = this.#roots.get(root)
    const id = known ?? Math.max(0, ...this.#roots.values()) + 1
    this.#roots.set(root, id)
    return [...(known === undefined ? [{ kind: 'root' as const, root: id, path: root }] : []), { ...file, root: id }]
  }

  #count(sha256: string, change: number): number {
    const count = (this.#references.get(sha256) ?? 0) + change
    if (count > 0) this.#references.set(sha256, count)
    else this.#references.delete(sha256)
    return count
  }

  #finish(): void {
    const { manifest, lock } = this.#archive
    if (!manifest.isWordy) return
    lock.check()
    manifest.rewrite(this.#options.now, { isTwice: false })
  }
}
