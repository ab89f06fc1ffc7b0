import { stringAt, textAt } from '../json.ts'
import { timeOf } from '../time.ts'
import { nodeOf, type TreeNode } from '../tree/node.ts'
import { buildTree } from '../tree/tree.ts'
import { usageRowOf } from '../usage/usage.ts'
import type { Diagnostic } from './diagnostic.ts'
import { DriftFold, type DriftItem } from './drift.ts'
import { duplicateKeys } from './duplicate-keys.ts'
import type { LogSink } from './log.ts'
import type { LogRecord } from './record.ts'

/** What a check found in one log: plain data, so that a worker can send it. */
export interface LogCheck {
  readonly types: ReadonlyMap<string, number>
  readonly systemSubtypes: ReadonlyMap<string, number>
  readonly versions: ReadonlyMap<string, number>
  readonly diagnostics: readonly Diagnostic[]
  readonly drift: readonly DriftItem[]
}

/** Checks a log against the format we know while it is read. */
export class CheckFold implements LogSink {
  readonly #file: string
  readonly #isAgent: boolean
  readonly #types = new Map<string, number>()
  readonly #systemSubtypes = new Map<string, number>()
  readonly #versions = new Map<string, number>()
  readonly #diagnostics: Diagnostic[] = []
  readonly #drift = new DriftFold()
  readonly #nodes: TreeNode[] = []
  /** The first request of each message. */
  readonly #requests = new Map<string, string>()

  constructor(file: string, options: { readonly isAgent?: boolean } = {}) {
    this.#file = file
    this.#isAgent = options.isAgent ?? false
  }

  record(record: LogRecord, bytes: Uint8Array): void {
    const { raw, place } = record
    count(this.#types, record.kind === 'oversize' ? 'oversize' : (record.type ?? 'none'))
    if (record.kind === 'oversize') return
    if (record.type === 'system') count(this.#systemSubtypes, textAt(raw, 'subtype') ?? 'none')
    const version = stringAt(raw, 'version')
    if (version !== undefined) count(this.#versions, version)
    this.#drift.add(raw, place)
    for (const key of duplicateKeys(bytes, raw)) {
      const message = `The key "${key.slice(0, 100)}" occurs twice in one object; the last one counts.`
      this.#diagnostics.push({ code: 'DUPLICATE_KEY', message, place, salvaged: true })
    }
    const node = nodeOf(record)
    if (node) this.#nodes.push(node)
    this.#checkTime(record)
    this.#checkRequest(record)
  }

  #checkTime({ raw, place }: LogRecord): void {
    const { timestamp } = raw
    if (timestamp === undefined || (typeof timestamp === 'string' && timeOf(timestamp) !== undefined)) return
    const message = 'Its timestamp is not a time; the row keeps its place in the file.'
    this.#diagnostics.push({ code: 'BAD_TIMESTAMP', message, place, salvaged: true })
  }

  /** One message id stands for one API call; a second request id under it is counted as a call of its own. */
  #checkRequest(record: LogRecord): void {
    const usage = usageRowOf(record)
    if (!usage || usage.requestId === '') return
    const { messageId, requestId } = usage
    const known = this.#requests.get(messageId)
    if (known === undefined) this.#requests.set(messageId, requestId)
    else if (known !== requestId) {
      const message = `Two requests share the message id ${messageId}; they are counted as two responses.`
      this.#diagnostics.push({ code: 'TWO_REQUESTS', message, place: record.place, salvaged: true })
    }
  }

  diagnostic(diagnostic: Diagnostic): void {
    this.#diagnostics.push(diagnostic)
  }

  result(): LogCheck {
    const tree = buildTree(this.#nodes, { file: this.#file, isAgent: this.#isAgent })
    return {
      types: this.#types,
      systemSubtypes: this.#systemSubtypes,
      versions: this.#versions,
      diagnostics: [...this.#diagnostics, ...tree.diagnostics].sort((a, b) => a.place.offset - b.place.offset),
      drift: this.#drift.items(),
    }
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
