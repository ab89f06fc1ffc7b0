import { isWhole, KeptFiles, newest } from './kept-state.ts'
import { type Head, readHead } from './manifest-head.ts'
import {
  type Commit,
  chainOf,
  isLinked,
  type Line,
  makeCommit,
  NO_CHAIN,
  readCommit,
  readLine,
} from './manifest-line.ts'
import type { Bad } from './manifest-mend.ts'

/** Something wrong in a manifest. */
export interface Damage {
  /** Counted from 1; 0 where it is the whole file. */
  readonly line: number
  readonly offset: number
  readonly length: number
  readonly reason: string
  /** The number of the file that it is about, where that can be told. */
  readonly file: number | undefined
  /** Nothing is lost: what was written there is known for certain. */
  readonly mended: boolean
}

/** What a manifest says, and where it ends. */
export interface Parsed {
  readonly state: KeptFiles
  readonly damage: readonly Damage[]
  /** The number in its first line; `undefined` where that cannot be read. */
  readonly format: 1 | 2 | undefined
  /** It is all there, by its own checksums: what it does not speak of was never committed, or is no longer needed. */
  readonly isWhole: boolean
  readonly chains: Map<string, string>
  readonly sequence: number
  readonly head: string
  /** Where the last transaction ends. */
  readonly length: number
  readonly lines: number
}

/** A line as it stands in the file. */
interface Raw {
  readonly text: string
  readonly number: number
  readonly offset: number
  readonly end: number
}

/** One pass over a manifest. */
export class ManifestReading {
  readonly bad: Bad[] = []
  readonly #bytes: Buffer
  readonly #state = new KeptFiles()
  readonly #chains = new Map<string, string>()
  readonly #damage: Damage[] = []
  #first: Head | undefined
  #sequence = 0
  #head = NO_CHAIN
  #length = 0
  #lines = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    if (bytes.length > 0) this.#read()
  }

  /** A flipped bit may be what is wrong: not where the file is longer or shorter than it was. */
  get canBeFlipped(): boolean {
    const isOtherLength = this.#first?.format === 2 && this.#first.length !== this.#bytes.length
    return this.bad.length > 0 && !isOtherLength
  }

  parsed(mended: readonly Damage[], isOpen: boolean): Parsed {
    const first = this.#first
    const isAtEnd = first?.format === 2 && first.sequence === this.#sequence && first.head === this.#head
    for (const { from, to, line, file, reason, isHarmless } of this.bad) {
      // Behind the end that the first line tells of, nothing was ever written.
      const isMended = isHarmless || (isAtEnd && from >= this.#length)
      this.#damage.push({ line, offset: from, length: to - from, reason, file, mended: isMended })
    }
    if (first?.format === 2 && !isOpen) this.#compareEnd(first, isAtEnd)
    this.#markDamaged()
    const damage = [...mended, ...this.#damage].sort((a, b) => a.offset - b.offset)
    return {
      state: this.#state,
      damage,
      format: first?.format,
      isWhole: first !== undefined && (first.format === 1 || isAtEnd) && damage.every((one) => one.mended),
      chains: this.#chains,
      sequence: this.#sequence,
      head: this.#head,
      length: this.#length,
      lines: this.#lines,
    }
  }

  /** A manifest that was cut between two transactions is sound line by line; its first line knows where it ended. */
  #compareEnd(first: Head & { format: 2 }, isAtEnd: boolean): void {
    const { length } = this.#bytes
    if (this.#damage.some((one) => !one.mended) || (isAtEnd && (length === first.length || this.#damage.length > 0)))
      return
    const reason = isAtEnd
      ? `it has ${length} bytes instead of ${first.length}`
      : `it ends with commit ${this.#sequence} instead of ${first.sequence}`
    this.#damage.push({ line: 1, offset: 0, length: 0, reason, file: undefined, mended: isAtEnd })
  }

  #markDamaged(): void {
    for (const { file, mended } of this.#damage) {
      const known = file === undefined || mended ? undefined : this.#state.files.get(file)
      if (known) known.isDamaged = true
    }
    for (const file of this.#state.files.values()) {
      const last = newest(file)
      if (!last || !isWhole(last)) file.isDamaged = true
    }
  }

  #read(): void {
    const bytes = this.#bytes
    const headEnd = bytes.indexOf(10)
    const text = bytes.toString('utf8', 0, headEnd === -1 ? bytes.length : headEnd)
    this.#first = readHead(text)
    if (!this.#first) {
      const end = headEnd === -1 ? bytes.length : headEnd
      this.#addBad([{ text, number: 1, offset: 0, end }], 'the first line is not that of an archive')
    }
    let from = headEnd + 1
    this.#length = this.#first ? from : 0
    for (let search = Math.max(0, headEnd); ; ) {
      const at = bytes.indexOf('\ncommit\t', search)
      if (at === -1) break
      const newline = bytes.indexOf(10, at + 1)
      const end = newline === -1 ? bytes.length : newline
      search = end
      const commit = readCommit(bytes.toString('latin1', at + 1, end))
      // The last line counts without its newline where its hash says that it is whole.
      if (!commit || (newline === -1 && !this.#fits(commit, bytes.subarray(from, at + 1)))) continue
      this.#transaction(from, at + 1, end, commit)
      from = end + 1
    }
    this.#readTail(this.#rawLines(from, bytes.length))
  }

  #fits({ sequence, at, hash }: Commit, part: Uint8Array): boolean {
    return makeCommit(sequence, at, this.#head, part).hash === hash
  }

  /** The lines from one byte to another, and the commit after them. */
  #transaction(from: number, to: number, end: number, commit: Commit): void {
    const part = this.#bytes.subarray(from, to)
    const { hash } = makeCommit(commit.sequence, commit.at, this.#head, part)
    const fits = hash === commit.hash
    const isSound = (fits && this.#takeAtOnce(part, from)) || this.#take(this.#rawLines(from, to), fits)
    const line = fits && end < this.#bytes.length ? 0 : this.#lineAt(to)
    if (isSound && !fits) {
      const reason = 'the end of a transaction does not match its lines, which are intact'
      const ends = { previous: this.#head, linesFrom: from }
      this.bad.push({ from: to, to: end, line, file: undefined, reason, chains: new Map(), isHarmless: true, ends })
    }
    if (end === this.#bytes.length) {
      const reason = 'the last line has no newline'
      this.#damage.push({ line, offset: end, length: 0, reason, file: undefined, mended: true })
    }
    this.#head = isSound ? hash : commit.hash
    this.#sequence = commit.sequence
    this.#state.changedAt = commit.at
    this.#length = Math.min(end + 1, this.#bytes.length)
  }

  /** Takes a transaction that is as it was written, without looking at each of its lines more than once. */
  #takeAtOnce(part: Buffer, from: number): boolean {
    const texts = part.toString('utf8').split('\n')
    texts.pop()
    const lines: { readonly line: Line; readonly chain: string }[] = []
    for (const text of texts) {
      const read = readLine(text)
      if (typeof read === 'string') return false
      lines.push(read)
    }
    this.#lines += lines.length
    for (const [at, { line, chain }] of lines.entries()) {
      this.#chains.set(chainOf(line), chain)
      const problem = this.#state.apply(line)
      const raw = problem === undefined ? undefined : this.#rawLines(from, from + part.length)[at]
      if (raw && problem !== undefined) this.#addBad([raw], problem)
    }
    return true
  }

  /** All lines between two bytes that have an end. */
  #rawLines(from: number, to: number): Raw[] {
    const lines: Raw[] = []
    let offset = from
    for (let number = this.#lineAt(from); ; number++) {
      const end = this.#bytes.indexOf(10, offset)
      if (end === -1 || end >= to) return lines
      lines.push({ text: this.#bytes.toString('utf8', offset, end), number, offset, end })
      offset = end + 1
    }
  }

  /** The number of the line that begins at a byte. */
  #lineAt(offset: number): number {
    let number = 1
    for (let at = this.#bytes.indexOf(10); at !== -1 && at < offset; at = this.#bytes.indexOf(10, at + 1)) number += 1
    return number
  }

  /** Takes the lines of a transaction; says whether all are what was written. Where the hash fits, only their meaning is looked at. */
  #take(lines: readonly Raw[], fits: boolean): boolean {
    const before = this.bad.length
    let run: Raw[] = []
    let chains = new Map(fits ? [] : this.#chains)
    let reason = ''
    const close = () => {
      if (run.length > 0) this.#addBad(run, reason, chains)
      run = []
    }
    for (const raw of lines) {
      const read = readLine(raw.text)
      const previous = typeof read === 'string' ? '' : (this.#chains.get(chainOf(read.line)) ?? NO_CHAIN)
      const isRight = typeof read !== 'string' && (fits || isLinked(raw.text, previous))
      if (!isRight) {
        if (run.length === 0 && !fits) chains = new Map(this.#chains)
        if (run.length === 0) reason = typeof read === 'string' ? read : 'it has changed since it was written'
        run.push(raw)
        this.#followStated(raw)
        continue
      }
      close()
      this.#chains.set(chainOf(read.line), read.chain)
      const problem = this.#state.apply(read.line)
      if (problem !== undefined) this.#addBad([raw], problem)
    }
    close()
    this.#lines += lines.length
    return this.bad.length === before
  }

  /** The lines after a bad one were chained to what it said, or should have said. */
  #followStated({ text }: Raw): void {
    const [, file, chain] = /^(?:file|frame|seen)\t(\d+)\t.*\t([0-9a-f]{64})$/.exec(text) ?? []
    if (file !== undefined && chain !== undefined) this.#chains.set(file, chain)
  }

  /** What stands behind the last commit: a transaction whose end was damaged, or something that we never write. */
  #readTail(lines: readonly Raw[]): void {
    const end = this.#bytes.length
    if (end === this.#length) return
    const known = this.bad.length
    const isTorn = this.#bytes.subarray(this.#length, end).includes(0)
    if (!isTorn) this.#findBadIn(lines)
    if (this.bad.length > known) return
    const reason = 'there is data after the last commit'
    const place = { line: this.#lineAt(this.#length), offset: this.#length, length: end - this.#length }
    const mended = this.#first?.format === 2 && this.#first.length === this.#length
    this.#damage.push({ ...place, reason, file: undefined, mended })
  }

  #findBadIn(lines: readonly Raw[]): void {
    const end = this.#bytes.length
    const chains = new Map(this.#chains)
    for (const raw of lines) {
      const read = readLine(raw.text)
      const key = typeof read === 'string' ? '' : chainOf(read.line)
      const isRight = typeof read !== 'string' && isLinked(raw.text, chains.get(key) ?? NO_CHAIN)
      if (!isRight) {
        this.#addBad([raw], 'the last transaction has no end', chains)
        return
      }
      chains.set(key, read.chain)
    }
    // The newline of the last commit itself may be what was damaged.
    const last = { text: '', number: lines.length, offset: lines.at(-1)?.end ?? this.#length - 1, end }
    const partial = this.#bytes.toString('utf8', last.offset + 1, end - 1)
    if (readCommit(partial)) this.#addBad([{ ...last, offset: last.offset + 1 }], 'the last line has no end', chains)
  }

  #addBad(lines: readonly Raw[], reason: string, chains: ReadonlyMap<string, string> = this.#chains): void {
    const [first] = lines
    const last = lines.at(-1)
    if (!first || !last) return
    const ids = lines.map(({ text }) => /^(?:file|frame|seen)\t(\d+)\t/.exec(text)?.[1])
    const id = ids.find((one) => one !== undefined)
    const file = id === undefined ? undefined : Number(id)
    const place = { from: first.offset, to: last.end, line: first.number, file }
    this.bad.push({ ...place, reason, chains: new Map(chains), isHarmless: false })
  }
}
