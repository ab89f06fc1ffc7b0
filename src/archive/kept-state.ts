import type { Frame, Line, Seen } from './manifest-line.ts'

/** A file that the archive holds, in all its generations. */
export interface KeptFile {
  readonly id: number
  root: string
  /** The session it belongs to; `null` for what sessions share. */
  owner: string | null
  path: string
  /** Counted from 1: the first stands at 0. */
  readonly generations: KeptGeneration[]
  /** Some line about it is lost: what is known of it is not to be relied on. */
  isDamaged: boolean
}

/** One content of a file: what was appended belongs to it, a rewrite begins another. */
export interface KeptGeneration {
  readonly frames: Frame[]
  seen: Seen | undefined
}

/** What the lines of a manifest add up to. */
export class KeptFiles {
  readonly roots = new Map<number, string>()
  readonly files = new Map<number, KeptFile>()
  /** Hashes of what was purged, and when. */
  readonly purged = new Map<string, string>()
  changedAt: string | null = null
  readonly #byPath = new Map<string, KeptFile>()

  /** Takes a line; says what is wrong where it does not follow from those before. */
  apply(line: Line): string | undefined {
    if (line.kind === 'root') this.roots.set(line.root, line.path)
    else if (line.kind === 'purged') this.purged.set(line.hash, line.at)
    else if (line.kind === 'file') return this.#applyFile(line)
    else {
      const file = this.files.get(line.file)
      if (!file) return 'it refers to a file that does not exist'
      const generation = generationAt(file, line.generation)
      if (!generation) return 'a generation is missing before it'
      return line.kind === 'frame' ? addFrame(generation, line) : addSeen(generation, line)
    }
    return undefined
  }

  #applyFile({ file: id, root: rootId, owner, path }: Line & { kind: 'file' }): string | undefined {
    const root = this.roots.get(rootId)
    if (root === undefined) return 'it refers to a root that does not exist'
    const known = this.files.get(id)
    const there = this.#byPath.get(keyOf(root, path))
    if (there && there !== known) return 'another file has the same path'
    if (known) {
      this.#byPath.delete(keyOf(known.root, known.path))
      known.root = root
      known.owner = owner
      known.path = path
    }
    const file = known ?? { id, root, owner, path, generations: [], isDamaged: false }
    this.files.set(id, file)
    this.#byPath.set(keyOf(root, path), file)
    return undefined
  }

  find(root: string, path: string): KeptFile | undefined {
    return this.#byPath.get(keyOf(root, path))
  }

  get nextFileId(): number {
    let most = 0
    for (const id of this.files.keys()) most = Math.max(most, id)
    return most + 1
  }

  /** Forgets a file. */
  remove(file: KeptFile): void {
    this.files.delete(file.id)
    this.#byPath.delete(keyOf(file.root, file.path))
  }

  /** The lines that would give the same again. */
  *lines(): Generator<Line> {
    const roots = new Map([...this.roots].map(([id, path]) => [path, id]))
    for (const [path, root] of roots) yield { kind: 'root', root, path }
    for (const [hash, at] of this.purged) yield { kind: 'purged', hash, at }
    for (const { id: file, root, owner, path, generations } of this.files.values()) {
      yield { kind: 'file', file, root: roots.get(root) as number, owner, path }
      for (const [at, { frames, seen }] of generations.entries()) {
        const generation = at + 1
        for (const frame of frames) yield { ...frame, kind: 'frame', file, generation }
        if (seen) yield { ...seen, kind: 'seen', file, generation }
      }
    }
  }

  get lineCount(): number {
    let count = this.roots.size + this.purged.size + this.files.size
    for (const { generations } of this.files.values()) {
      for (const { frames } of generations) count += frames.length + 1
    }
    return count
  }

  /** How often each object is used. */
  references(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { frame } of this.frames()) counts.set(frame.sha256, (counts.get(frame.sha256) ?? 0) + 1)
    return counts
  }

  /** Every frame of every generation of every file. */
  *frames(): Generator<{ readonly file: KeptFile; readonly generation: number; readonly frame: Frame }> {
    for (const file of this.files.values()) {
      for (const [at, { frames }] of file.generations.entries()) {
        for (const frame of frames) yield { file, generation: at + 1, frame }
      }
    }
  }
}

/** The newest generation of a file. */
export function newest(file: KeptFile): KeptGeneration | undefined {
  return file.generations.at(-1)
}

/** Where the frames of a generation end. */
export function endOf({ frames }: KeptGeneration): number {
  const last = frames.at(-1)
  return last ? last.offset + last.rawBytes : 0
}

/** Whether a generation is all there. */
export function isWhole(generation: KeptGeneration): boolean {
  return generation.seen !== undefined && generation.seen.bytes === endOf(generation)
}

function generationAt({ generations }: KeptFile, number: number): KeptGeneration | undefined {
  if (number === generations.length + 1) generations.push({ frames: [], seen: undefined })
  return generations[number - 1]
}

/** A frame goes on where the last one ends, or stands in its place: small ones are packed anew with what follows. */
function addFrame({ frames }: KeptGeneration, line: Line & { kind: 'frame' }): string | undefined {
  const last = frames.at(-1)
  if (last && last.offset === line.offset) frames.pop()
  const end = frames.at(-1)
  if (line.offset !== (end ? end.offset + end.rawBytes : 0)) return 'a piece before it is missing'
  frames.push(line)
  return undefined
}

function addSeen(generation: KeptGeneration, line: Line & { kind: 'seen' }) {
  generation.seen = line
  return line.bytes === endOf(generation) ? undefined : 'its length differs from what was kept'
}

function keyOf(root: string, path: string): string {
  return `${root}\0${path}`
}
