import { isWhole, KeptFiles, newest } from './kept-state.ts'
import { type Head, readHead } from './manifest-head.ts'
import { type Commit, makeCommit, NO_COMMIT, readCommit, readLine } from './manifest-line.ts'

/** Something wrong in a manifest. */
export interface Damage {
  /** Counted from 1; 0 where it is the whole file. */
  readonly line: number
  readonly offset: number
  readonly length: number
  readonly reason: string
  /** The numbers of the files that it is about, as far as that can be told. */
  readonly files: readonly number[]
  /** Nothing is lost by it. */
  readonly mended: boolean
}

/** What a manifest says, and where it ends. */
export interface Parsed {
  readonly state: KeptFiles
  readonly damage: readonly Damage[]
  /** Its first line can be read. */
  readonly hasHead: boolean
  /** It is all there, by its own checksums: what it does not speak of was never committed, or is no longer needed. */
  readonly isWhole: boolean
  readonly sequence: number
  readonly head: string
  /** Where the last transaction ends. */
  readonly length: number
  readonly lines: number
}

/** How to read: an `open` manifest may go on behind the end that its first line tells of. */
export interface ParseOptions {
  readonly isOpen?: boolean
}

/** Reads a manifest. Never throws: a transaction that is not as it was written is named and passed over. */
export function parseManifest(bytes: Buffer = Buffer.alloc(0), { isOpen = false }: ParseOptions = {}): Parsed {
  const state = new KeptFiles()
  const damage: Damage[] = []
  const name = (offset: number, end: number, reason: string, about: Partial<Damage> = {}) => {
    const place = { line: lineAt(bytes, offset), offset, length: end - offset }
    damage.push({ ...place, reason, files: [], mended: false, ...about })
  }
  const headEnd = bytes.indexOf(10)
  const first = readHead(bytes.toString('latin1', 0, Math.max(0, headEnd)))
  if (!first && bytes.length > 0) name(0, Math.max(0, headEnd), 'the first line is not that of an archive')
  let isLost = false
  let [sequence, head, lines, length] = [0, NO_COMMIT, 0, first ? headEnd + 1 : 0]
  for (const { from, to, end, commit } of transactions(bytes, headEnd + 1)) {
    const part = bytes.subarray(from, to)
    const fits = makeCommit(commit.sequence, commit.at, head, part).hash === commit.hash
    // The last line counts without its newline where its hash says that it is whole.
    if (!fits && end === bytes.length) break
    isLost ||= !fits
    if (!fits)
      name(from, end, `what commit ${commit.sequence} ended is not as it was written`, { files: filesIn(part) })
    else lines += take(part, (at, text, reason) => name(from + at, from + at + text.length, reason))
    if (end === bytes.length) name(end, end, 'the last line has no newline', { mended: true })
    head = commit.hash
    sequence = commit.sequence
    state.changedAt = commit.at
    length = Math.min(end + 1, bytes.length)
  }
  const isAtEnd = first?.sequence === sequence && first.head === head
  if (length < bytes.length && (first || damage.length === 0)) {
    name(length, bytes.length, 'there is something behind the last commit', { mended: first?.length === length })
  }
  if (first && !isOpen) compareEnd(first)
  markDamaged(state, damage)
  const isAll = isAtEnd && damage.every((one) => one.mended)
  return { state, damage, hasHead: first !== undefined, isWhole: isAll, sequence, head, length, lines }

  /** Takes the lines of a transaction; gives how many they are. */
  function take(part: Buffer, wrong: (at: number, text: string, reason: string) => void): number {
    const texts = part.toString('utf8').split('\n').slice(0, -1)
    let at = 0
    for (const text of texts) {
      const line = readLine(text)
      const problem = typeof line === 'string' ? line : state.apply(line)
      // After a transaction that is lost, what follows from it has nothing to follow from.
      const reason = isLost && typeof line !== 'string' ? undefined : problem
      if (reason !== undefined) wrong(at, text, reason)
      at += Buffer.byteLength(text) + 1
    }
    return texts.length
  }

  /** A manifest that was cut between two transactions is sound; its first line knows where it ended. */
  function compareEnd(told: Head): void {
    const isShort = !isAtEnd && damage.every((one) => one.mended)
    const isOdd = isAtEnd && damage.length === 0 && told.length !== bytes.length
    if (isShort) name(0, 0, `it ends with commit ${sequence} instead of ${told.sequence}`)
    if (isOdd) name(0, 0, `it has ${bytes.length} bytes instead of ${told.length}`, { mended: true })
  }
}

/** The lines from one byte to another, and the commit after them. */
interface Transaction {
  readonly from: number
  readonly to: number
  readonly end: number
  readonly commit: Commit
}

function* transactions(bytes: Buffer, start: number): Generator<Transaction> {
  let from = start
  for (let at = bytes.indexOf('\ncommit\t', start - 1); at !== -1; at = bytes.indexOf('\ncommit\t', at + 1)) {
    const newline = bytes.indexOf(10, at + 1)
    const end = newline === -1 ? bytes.length : newline
    const commit = readCommit(bytes.toString('latin1', at + 1, end))
    // One that cannot be read ends nothing: the next has another hash for what is before it.
    if (!commit) continue
    yield { from, to: at + 1, end, commit }
    from = end + 1
  }
}

/** The number of the line that begins at a byte. */
function lineAt(bytes: Buffer, offset: number): number {
  let number = 1
  for (let at = bytes.indexOf(10); at !== -1 && at < offset; at = bytes.indexOf(10, at + 1)) number += 1
  return number
}

/** The files that lines speak of. */
function filesIn(part: Buffer): readonly number[] {
  const ids = [...part.toString('latin1').matchAll(/^(?:file|frame|seen)\t(\d{1,15})\t/gm)]
  return [...new Set(ids.map(([, id]) => Number(id)))]
}

function markDamaged(state: KeptFiles, damage: readonly Damage[]): void {
  const touched = new Set(damage.flatMap(({ files, mended }) => (mended ? [] : files)))
  for (const file of state.files.values()) {
    const last = newest(file)
    if (touched.has(file.id) || !last || !isWhole(last)) file.isDamaged = true
  }
}
