import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { readWhole, syncFolder, writeAllAt, writePrivateFile } from '../state/private-file.ts'
import type { KeptFiles } from './kept-state.ts'
import { chainOf, HEADER, type Line, makeCommit, NO_CHAIN, writeCommit, writeLine } from './manifest-line.ts'
import { type Damage, parseManifest } from './manifest-parse.ts'

/**
 * What an archive holds: plain lines in transactions, each ended by a commit line that hashes it. A transaction that has no
 * commit line never happened, so a crash at any point leaves the state before or after it.
 */
export class Manifest {
  readonly path: string
  readonly state: KeptFiles
  /** What is wrong with it. Empty, or mended in memory only. */
  readonly damage: readonly Damage[]
  readonly #chains: Map<string, string>
  #sequence: number
  #head: string
  /** Where the next transaction goes: the end of the last one. */
  #length: number
  #lines: number

  /** Reads the manifest of an archive; without a folder, that of one that holds nothing. */
  constructor(folder: string | undefined) {
    this.path = join(folder ?? '', 'manifest')
    const parsed = parseManifest(folder === undefined ? undefined : readWhole(this.path))
    this.state = parsed.state
    this.damage = parsed.damage
    this.#chains = parsed.chains
    this.#sequence = parsed.sequence
    this.#head = parsed.head
    this.#length = parsed.length
    this.#lines = parsed.lines
  }

  /** Whether something in it is lost: then nothing may be thrown away on its word. */
  get isDamaged(): boolean {
    return this.damage.some((one) => !one.mended)
  }

  /** Whether most of its lines have been replaced by later ones. */
  get isWordy(): boolean {
    return this.#lines > 2000 && this.#lines > 2 * this.state.lineCount
  }

  /** When something was last written into it; `null` for an archive without anything. */
  get changedAt(): string | null {
    return this.state.changedAt
  }

  /** Adds a transaction. When this returns, it is on the disk. */
  append(lines: readonly Line[], at: Date): void {
    if (lines.length === 0) return
    // What stands behind the last transaction is cut off: not where it may be one whose end was damaged.
    if (this.damage.some((one) => !one.mended && one.offset >= this.#length)) throw unreadable(this.path)
    const chains = new Map<string, string>()
    const text = lines.map((line) => `${this.#link(line, chains)}\n`).join('')
    const commit = makeCommit(this.#sequence + 1, at.toISOString(), this.#head, text)
    const whole = Buffer.from(`${text}${writeCommit(commit)}\n`)
    if (this.#length === 0) {
      const first = Buffer.concat([Buffer.from(`${HEADER}\n`), whole])
      writePrivateFile(this.path, first)
      syncFolder(join(this.path, '..'))
      this.#length = first.length
    } else {
      appendAt(this.path, this.#length, whole)
      this.#length += whole.length
    }
    for (const [key, chain] of chains) this.#chains.set(key, chain)
    for (const line of lines) this.state.apply(line)
    this.state.changedAt = at.toISOString()
    this.#sequence += 1
    this.#lines += lines.length
    this.#head = commit.hash
  }

  /** Writes it anew, with nothing in it but what counts, in one step. */
  rewrite(at: Date): void {
    this.#chains.clear()
    const lines = [...this.state.lines()]
    const text = lines.map((line) => `${this.#link(line, this.#chains)}\n`).join('')
    const commit = makeCommit(this.#sequence + 1, at.toISOString(), NO_CHAIN, text)
    const whole = Buffer.from(`${HEADER}\n${text}${writeCommit(commit)}\n`)
    writePrivateFile(this.path, whole)
    syncFolder(join(this.path, '..'))
    this.state.changedAt = at.toISOString()
    this.#sequence += 1
    this.#lines = lines.length
    this.#length = whole.length
    this.#head = commit.hash
  }

  #link(line: Line, chains: Map<string, string>): string {
    const key = chainOf(line)
    const { text, chain } = writeLine(line, chains.get(key) ?? this.#chains.get(key) ?? NO_CHAIN)
    chains.set(key, chain)
    return text
  }
}

function unreadable(path: string): Failure {
  const hint = 'It was not touched. `annals archive verify` says more, and --repair keeps what is certain.'
  return new Failure('CANNOT_WRITE', `${path} is not the manifest of an archive, or its end is damaged.`, { hint })
}

function appendAt(path: string, length: number, bytes: Uint8Array): void {
  const fd = openSync(path, 'r+')
  try {
    // What stands behind the last transaction was left by one that was killed.
    if (fstatSync(fd).size > length) ftruncateSync(fd, length)
    writeAllAt(fd, bytes, length)
    fsyncSync(fd)
  } catch (error) {
    attempt(() => ftruncateSync(fd, length))
    throw error
  } finally {
    closeSync(fd)
  }
}

function attempt(action: () => void): void {
  try {
    action()
  } catch {
    // The disk is in trouble already; half a transaction is no transaction anyway.
  }
}
