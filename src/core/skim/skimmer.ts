import { uuidText } from '../facts/uuid-bytes.ts'
import { parseJson } from '../json.ts'
import { compileSkim, type SkimEngine, type SkimModule, startEngine } from './engine.ts'
import * as at from './layout.ts'

/** Columns of a row, by what they hold. `layout.ts` says what each of them is. */
export type NameColumn =
  | typeof at.TYPE
  | typeof at.SESSION
  | typeof at.AGENT
  | typeof at.VERSION
  | typeof at.CWD
  | typeof at.GIT_BRANCH
  | typeof at.SLUG
  | typeof at.MODEL
  | typeof at.ROLE
  | typeof at.STOP_REASON
  | typeof at.SERVICE_TIER
  | typeof at.SPEED
  | typeof at.GEO
  | typeof at.SUBTYPE
  | typeof at.ATTACHMENT_TYPE
  | typeof at.FORKED_FROM
  | typeof at.DATA_AGENT
export type IdColumn =
  | typeof at.MESSAGE_ID
  | typeof at.REQUEST_ID
  | typeof at.REQUEST_REF
  | typeof at.ID
  | typeof at.TOOL_USE_ID
  | typeof at.PARENT_TOOL_USE_ID
export type UuidColumn = typeof at.UUID | typeof at.PARENT | typeof at.LOGICAL_PARENT
export type NumberColumn =
  | typeof at.TIME
  | typeof at.SNAPSHOT_TIME
  | typeof at.INPUT_TOKENS
  | typeof at.OUTPUT_TOKENS
  | typeof at.CACHE_READ_TOKENS
  | typeof at.CACHE_WRITE_TOKENS
  | typeof at.CACHE_WRITE_5M_TOKENS
  | typeof at.CACHE_WRITE_1H_TOKENS
  | typeof at.WEB_SEARCHES
  | typeof at.KEY
  | typeof at.PARENT_KEY

/** A block of a message. Its id and name are `undefined` where the row has none. */
export interface SkimmedBlock {
  readonly kind: number
  readonly id: string | undefined
  readonly name: string | undefined
  readonly isError: boolean
}

/**
 * Reads the few facts of each row that lists, sums and trees need, without parsing it. The caller reads a log into `bytes`, skims it
 * piece by piece, and asks for what it needs of each row. A row that is not plain has only its place: the parser reads that line.
 *
 * Rows hold until the next skim, `bytes` and the tables until the next `reserve` or text: memory that grows is another memory.
 */
export class Skimmer {
  readonly engine: SkimEngine
  /** Where a log is read to; behind it lie `SLACK` bytes more, so that a last line can be given its newline. */
  bytes: Uint8Array<ArrayBufferLike>
  /** The tables of the last skim: `ROW_WORDS` for each row, `BLOCK_WORDS` for each block, and the rows as doubles. */
  rows: Int32Array<ArrayBufferLike>
  doubles: Float64Array<ArrayBufferLike>
  blocks: Int32Array<ArrayBufferLike>
  #memory: Uint8Array<ArrayBufferLike>
  /** The address of `bytes`. */
  readonly #base: number
  #names: string[] = []
  #generation = 0
  #capacity = 0

  /** Threads share one `module`; if left out it is compiled, in about a millisecond. With `null`, all is left to the parser. */
  constructor(capacity = 1 << 18, module: SkimModule | null = compileSkim()) {
    this.engine = startEngine(module)
    this.#base = this.engine.bytesAt()
    this.#memory = this.bytes = new Uint8Array(this.engine.memory.buffer)
    this.rows = this.blocks = new Int32Array(0)
    this.doubles = new Float64Array(0)
    this.reserve(capacity)
  }

  /** Makes `bytes` at least so long. What stands in it stays. */
  reserve(capacity: number): void {
    this.#capacity = Math.max(this.#capacity, capacity)
    this.scratch(0)
    this.#look()
  }

  /** The address of so many bytes of room behind everything else. */
  scratch(length: number): number {
    const address = this.#base + this.#capacity + at.SLACK
    const missing = address + length + at.SLACK - this.#memory.length
    if (missing > 0) {
      this.engine.memory.grow(Math.ceil(missing / 65536))
      this.#look()
    }
    return address
  }

  /** Puts the newline behind a last line that has none. */
  end(length: number): void {
    this.#memory[this.#base + length] = 0x0a
  }

  /** Skims lines of `bytes`, as many as the table holds. The byte before `to` is a newline. Gives how many rows there are. */
  skim(from: number, to: number): number {
    const count = this.engine.skim(this.#base + from, this.#base + to)
    if (this.engine.nameGeneration() !== this.#generation) this.#names = []
    this.#generation = this.engine.nameGeneration()
    return count
  }

  /** Where in `bytes` the last skim ended. */
  get skimmedTo(): number {
    return this.engine.skimEnd() - this.#base
  }

  /** How many lines it passed; empty ones count, and have no row. */
  get skimmedLines(): number {
    return this.engine.skimLines()
  }

  isPlain(row: number): boolean {
    return this.#word(row, at.VERDICT) === at.PLAIN
  }

  /** The bytes of the row's line, without its newline. */
  line(row: number): Uint8Array<ArrayBufferLike> {
    const from = this.#word(row, at.OFFSET)
    return this.#memory.subarray(from, from + this.length(row))
  }

  length(row: number): number {
    return this.#word(row, at.LENGTH)
  }

  /** Where its line begins in `bytes`. */
  offset(row: number): number {
    return this.#word(row, at.OFFSET) - this.#base
  }

  /** How many lines of this skim precede it. */
  lineNumber(row: number): number {
    return this.#word(row, at.LINE)
  }

  has(row: number, flag: number): boolean {
    return (this.#word(row, at.FLAGS) & flag) !== 0
  }

  number(row: number, column: NumberColumn): number {
    return this.doubles[(row * at.ROW_WORDS) / 2 + column] as number
  }

  /** A text that many rows share: the very same string for each of them. Empty texts are given as such. */
  name(row: number, column: NameColumn): string | undefined {
    return this.nameOf(this.#word(row, column))
  }

  id(row: number, column: IdColumn): string | undefined {
    return this.#textAt(row, this.rows, row * at.ROW_WORDS + column)
  }

  uuid(row: number, column: UuidColumn): string | undefined {
    const flag = column === at.UUID ? at.HAS_UUID : column === at.PARENT ? at.HAS_PARENT : at.HAS_LOGICAL_PARENT
    if (!this.has(row, flag)) return undefined
    return uuidText(this.#memory, this.rows.byteOffset + (row * at.ROW_WORDS + column) * 4)
  }

  /** The place of its type in `SKIMMED_TYPES`. */
  typeNumber(row: number): number {
    return this.#word(row, at.TYPE)
  }

  /** How many blocks of a kind it has. */
  countBlocks(row: number, kind: number): number {
    const blocks = this.blockCount(row)
    let count = 0
    for (let i = 0; i < blocks; i++) if (this.blockKind(row, i) === kind) count += 1
    return count
  }

  blockCount(row: number): number {
    return this.#word(row, at.BLOCK_COUNT)
  }

  blockKind(row: number, i: number): number {
    return this.blocks[this.blockWord(row, i) + at.BLOCK_KIND] as number
  }

  blockName(row: number, i: number): string | undefined {
    return this.nameOf(this.blocks[this.blockWord(row, i) + at.BLOCK_NAME] as number)
  }

  blockId(row: number, i: number): string | undefined {
    return this.#textAt(row, this.blocks, this.blockWord(row, i) + at.BLOCK_ID)
  }

  /** One of the row's blocks. */
  block(row: number, i: number): SkimmedBlock {
    const block = this.blockWord(row, i)
    return {
      kind: this.blockKind(row, i),
      id: this.blockId(row, i),
      name: this.blockName(row, i),
      isError: this.blocks[block + at.BLOCK_ERROR] === 1,
    }
  }

  /** Where a block begins in `blocks`. */
  blockWord(row: number, i: number): number {
    return (this.#word(row, at.BLOCKS) + i) * at.BLOCK_WORDS
  }

  /** Bytes of the memory, by their address. */
  slice(address: number, length: number): Uint8Array<ArrayBufferLike> {
    return this.#memory.subarray(address, address + length)
  }

  /** The text of a JSON string, by the address of its quote and its length. */
  stringAt(address: number, length: number): string {
    return resolved(decoder.decode(this.slice(address + 1, length - 2)))
  }

  #look(): void {
    const { buffer } = this.engine.memory
    this.#memory = new Uint8Array(buffer)
    this.bytes = new Uint8Array(buffer, this.#base, this.#capacity)
    this.rows = new Int32Array(buffer, this.engine.rowsAt(), at.MAX_ROWS * at.ROW_WORDS)
    this.doubles = new Float64Array(buffer, this.engine.rowsAt(), (at.MAX_ROWS * at.ROW_WORDS) / 2)
    this.blocks = new Int32Array(buffer, this.engine.blocksAt(), at.MAX_BLOCKS * at.BLOCK_WORDS)
  }

  #word(row: number, column: number): number {
    return this.rows[row * at.ROW_WORDS + column] as number
  }

  /** The text of a name, by its number in a column. */
  nameOf(name: number): string | undefined {
    if (name === -1) return undefined
    const known = this.#names[name]
    if (known !== undefined) return known
    const [address, length] = new Int32Array(this.engine.memory.buffer, this.engine.nameAt(name), 2) as unknown as [
      number,
      number,
    ]
    const text = resolved(decoder.decode(this.slice(address, length)))
    this.#names[name] = text
    return text
  }

  #textAt(row: number, table: Int32Array, word: number): string | undefined {
    const length = table[word + 1] as number
    if (length === -1) return undefined
    const from = table[word] as number
    const bytes = this.#memory.subarray(from, from + length)
    return length <= LONG && this.has(row, at.IS_ASCII) ? asciiText(bytes) : decoder.decode(bytes)
  }
}

/** Escapes are kept in names and paths as they are written: Windows has a backslash in every folder. */
function resolved(text: string): string {
  return text.includes('\\') ? (parseJson(`"${text}"`) as string) : text
}

/** Made in one call, and no decoder is asked: pieces would be garbage. */
function asciiText(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[])
}

const LONG = 64
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
