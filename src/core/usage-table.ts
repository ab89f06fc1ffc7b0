import type { TreeNode } from './node.ts'
import { MESSAGE, MODEL, type NodeTable } from './node-table.ts'
import { NumberRows } from './number-rows.ts'
import { TOKEN_KEYS, type UsageRow } from './usage.ts'

/** The usage rows of one log, kept as numbers beside the rows of its tree that they stand on. */
export class UsageTable implements Iterable<UsageRow> {
  /** The log they stand in. */
  readonly file: string
  readonly #nodes: NodeTable
  readonly #rows: NumberRows<Float64Array>
  readonly #words = new Map<number, string>()

  constructor(file: string, nodes: NodeTable, cells?: Float64Array) {
    this.file = file
    this.#nodes = nodes
    this.#rows = new NumberRows(WIDTH, (length) => new Float64Array(length), cells)
  }

  get length(): number {
    return this.#rows.length
  }

  /** Adds the usage of the row that was added to the tree last. */
  add(usage: UsageRow, weight = 1): void {
    const { pool } = this.#nodes
    const row = this.#rows.add()
    this.#rows.set(row, WEIGHT, weight)
    const textId = (text: string | null) => (text === null ? -1 : pool.idOf(text))
    this.#rows.set(row, NODE, this.#nodes.length - 1)
    this.#rows.set(row, REQUEST, pool.idOf(usage.requestId))
    this.#rows.set(row, GEO, textId(usage.geo))
    this.#rows.set(row, SPEED, textId(usage.speed))
    this.#rows.set(row, FLAGS, (usage.isFork ? IS_FORK : 0) | (usage.isPlaceholder ? IS_PLACEHOLDER : 0))
    TOKEN_KEYS.forEach((key, i) => {
      this.#rows.set(row, TOKENS + i, usage[key])
    })
  }

  /** Adds a row that no tree has; it may stand for several. */
  addAlone(usage: UsageRow, weight: number): void {
    const { messageId, model, timestamp, isSidechain, place } = usage
    this.#nodes.add({ ...NO_NODE, messageId, model, timestamp: timestamp || null, isSidechain, ...place })
    this.add(usage, weight)
  }

  /** A number that the rows of one response share: that of their message and request. */
  responseAt(row: number): number {
    return this.#nodes.idAt(this.#rows.get(row, NODE), MESSAGE) * 2 ** 26 + this.#rows.get(row, REQUEST)
  }

  /** For how many rows a row stands. */
  weightAt(row: number): number {
    return this.#rows.get(row, WEIGHT)
  }

  at(row: number): UsageRow {
    const cell = (column: number) => this.#rows.get(row, column)
    const node = this.#nodes.at(cell(NODE)) as TreeNode
    return {
      // In the order of TOKEN_KEYS; one by one, because building them from the keys costs ten times as much.
      inputTokens: cell(TOKENS),
      outputTokens: cell(TOKENS + 1),
      cacheReadTokens: cell(TOKENS + 2),
      cacheWrite5mTokens: cell(TOKENS + 3),
      cacheWrite1hTokens: cell(TOKENS + 4),
      webSearches: cell(TOKENS + 5),
      messageId: node.messageId ?? '',
      requestId: this.#nodes.pool.textOf(cell(REQUEST)),
      model: this.#word(this.#nodes.idAt(cell(NODE), MODEL)) ?? '',
      timestamp: node.timestamp ?? '',
      place: { file: this.file, line: node.line, offset: node.offset, length: node.length },
      isFork: (cell(FLAGS) & IS_FORK) !== 0,
      isSidechain: node.isSidechain,
      geo: this.#word(cell(GEO)),
      speed: this.#word(cell(SPEED)),
      isPlaceholder: (cell(FLAGS) & IS_PLACEHOLDER) !== 0,
    }
  }

  *[Symbol.iterator](): Iterator<UsageRow> {
    for (let row = 0; row < this.length; row++) yield this.at(row)
  }

  /** The rows that stand on some rows of the tree. */
  *on(isWanted: (node: number) => boolean): Iterable<UsageRow> {
    for (let row = 0; row < this.length; row++) if (isWanted(this.#rows.get(row, NODE))) yield this.at(row)
  }

  /** The rows of each response, by the number of its message id. Made once; a turn asks for its own. */
  byMessage(): (messageId: number) => Iterable<UsageRow> {
    const first = new Int32Array(this.#nodes.pool.size).fill(-1)
    const next = new Int32Array(this.length)
    for (let row = this.length - 1; row >= 0; row--) {
      const message = this.#nodes.idAt(this.#rows.get(row, NODE), MESSAGE)
      next[row] = first[message] as number
      first[message] = row
    }
    const at = (row: number) => this.at(row)
    return function* (messageId) {
      for (let row = first[messageId] ?? -1; row !== -1; row = next[row] as number) yield at(row)
    }
  }

  /** Words that most rows share are handed out as one string. */
  #word(id: number): string | null {
    if (id === -1) return null
    const known = this.#words.get(id) ?? this.#nodes.pool.textOf(id)
    this.#words.set(id, known)
    return known
  }

  /** What it holds as a plain array, to be kept and given to the constructor again. */
  cells(): Float64Array {
    return this.#rows.cells()
  }

  /** The rows of the tree that it stands on. */
  get nodes(): NodeTable {
    return this.#nodes
  }
}

const NODE = 0
const REQUEST = 1
const GEO = 2
const SPEED = 3
const FLAGS = 4
const WEIGHT = 5
const TOKENS = 6
const WIDTH = TOKENS + TOKEN_KEYS.length

const NO_NODE: TreeNode = {
  uuid: '',
  parent: null,
  logicalParent: null,
  type: 'assistant',
  kind: 'response',
  subtype: null,
  isSidechain: false,
  timestamp: null,
  line: 0,
  offset: 0,
  length: 0,
  messageId: null,
  model: null,
  toolUses: [],
  toolResults: [],
  agentId: null,
  preview: null,
  command: null,
  preserved: null,
  compaction: null,
  forkedFrom: null,
}

const IS_FORK = 1
const IS_PLACEHOLDER = 2
