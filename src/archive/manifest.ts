import { linkSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { readWhole, syncFolder, TEMPORARY, writePrivateFile } from '../state/private-file.ts'
import type { KeptFiles } from './kept-state.ts'
import { HEAD_BYTES, headLine } from './manifest-head.ts'
import { chainOf, type Line, makeCommit, NO_CHAIN, writeCommit, writeLine } from './manifest-line.ts'
import { parseManifest } from './manifest-parse.ts'
import { manifestPaths, readManifest } from './manifest-read.ts'
import type { Damage } from './manifest-reading.ts'

/**
 * What an archive holds: plain lines in transactions, each ended by a commit line that hashes it. A new one takes the place of
 * the old one in one step, which stays beside it, so a crash at any point leaves the state before or after a transaction.
 */
export class Manifest {
  readonly path: string
  /** The manifest before the last transaction. */
  readonly before: string
  readonly state: KeptFiles
  /** What is wrong with it. Empty, or mended in memory only. */
  readonly damage: readonly Damage[]
  /** The format of the file; `undefined` where there is none that can be read. */
  readonly format: 1 | 2 | undefined
  /** Nothing that was committed up to `sequence` is missing in `state`, though the file may be damaged. */
  readonly isSureOfPast: boolean
  readonly #chains: Map<string, string>
  #sequence: number
  #head: string
  #length: number
  #lines: number

  /** Reads the manifest of an archive; without a folder, that of one that holds nothing. */
  constructor(folder: string | undefined, hasObjects: () => boolean = () => false) {
    const paths = manifestPaths(folder ?? '')
    const read =
      folder === undefined ? { ...parseManifest(undefined), isSureOfPast: true } : readManifest(folder, hasObjects)
    this.path = paths.path
    this.before = paths.before
    this.state = read.state
    this.damage = read.damage
    this.format = read.format
    this.isSureOfPast = read.isSureOfPast
    this.#chains = read.chains
    this.#sequence = read.sequence
    this.#head = read.head
    this.#length = read.length
    this.#lines = read.lines
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

  /** The number of the last commit. */
  get sequence(): number {
    return this.#sequence
  }

  /** Goes on counting behind a number that was given away already. */
  countOnFrom(sequence: number): void {
    this.#sequence = Math.max(this.#sequence, sequence)
  }

  /** Begins one without anything, so that what a first transaction leaves behind when it is killed can be told from a loss. */
  begin(): void {
    this.#put(Buffer.from(headLine({ length: HEAD_BYTES, sequence: 0, head: NO_CHAIN })), true)
  }

  /** Adds a transaction. When this returns, it is on the disk. */
  append(lines: readonly Line[], at: Date): void {
    if (lines.length === 0) return
    if (this.isDamaged) throw unreadable(this.path)
    const chains = new Map<string, string>()
    this.#commit(lines, at, { chains, previous: this.#head, body: this.#body(), isTwice: false })
    for (const [key, chain] of chains) this.#chains.set(key, chain)
    for (const line of lines) this.state.apply(line)
    this.#lines += lines.length
  }

  /**
   * Writes it anew, with nothing in it but what counts. Where something is to be forgotten or was damaged, the one before is
   * written first and says the same.
   */
  rewrite(at: Date, { isTwice }: { readonly isTwice: boolean }): void {
    this.#chains.clear()
    const lines = [...this.state.lines()]
    this.#commit(lines, at, { chains: this.#chains, previous: NO_CHAIN, body: Buffer.alloc(0), isTwice })
    this.#lines = lines.length
  }

  /** Writes lines and their commit behind what is there already. */
  #commit(lines: readonly Line[], at: Date, { chains, previous, body, isTwice }: CommitOptions): void {
    const text = lines.map((line) => `${this.#link(line, chains)}\n`).join('')
    const commit = makeCommit(this.#sequence + 1, at.toISOString(), previous, text)
    const end = Buffer.from(`${text}${writeCommit(commit)}\n`)
    const length = HEAD_BYTES + body.length + end.length
    const head = headLine({ length, sequence: commit.sequence, head: commit.hash })
    this.#put(Buffer.concat([Buffer.from(head), body, end]), isTwice)
    this.state.changedAt = commit.at
    this.#sequence = commit.sequence
    this.#head = commit.hash
  }

  /** What stands in the file behind its first line. */
  #body(): Buffer {
    const bytes = readWhole(this.path)
    if (bytes?.length !== this.#length) throw unreadable(this.path)
    return bytes.subarray(HEAD_BYTES)
  }

  /** The file as it is also becomes the one before; it is never without that. */
  #keepBefore(): void {
    const temporary = `${this.before}${TEMPORARY}`
    rmSync(temporary, { force: true })
    linkSync(this.path, temporary)
    renameSync(temporary, this.before)
    // Two names of one file are not renamed.
    rmSync(temporary, { force: true })
  }

  #put(whole: Buffer, isTwice: boolean): void {
    if (isTwice) writePrivateFile(this.before, whole)
    else this.#keepBefore()
    writePrivateFile(this.path, whole)
    syncFolder(join(this.path, '..'))
    this.#length = whole.length
  }

  #link(line: Line, chains: Map<string, string>): string {
    const key = chainOf(line)
    const { text, chain } = writeLine(line, chains.get(key) ?? this.#chains.get(key) ?? NO_CHAIN)
    chains.set(key, chain)
    return text
  }
}

interface CommitOptions {
  /** Where the ends of the chains go. */
  readonly chains: Map<string, string>
  /** The hash of the commit before. */
  readonly previous: string
  readonly body: Buffer
  readonly isTwice: boolean
}

function unreadable(path: string): Failure {
  const hint = 'It was not touched. `annals keep verify` says more; --repair keeps what is certain.'
  return new Failure('CANNOT_WRITE', `${path} is not the manifest of an archive, or is damaged.`, { hint })
}
