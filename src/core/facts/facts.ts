import type { LogRecord } from '../log/record.ts'
import type { TreeNode } from '../tree/node.ts'
import { BEFORE_FIRST } from '../tree/tree.ts'
import type { UsedRow } from '../usage/usage.ts'
import { type RowFacts, rowFacts } from './row-facts.ts'
import { NodePacker } from './small-node.ts'
import { UsagePacker } from './small-usage.ts'
import { type LogTold, ToldFold } from './told.ts'

/** What kind of log a file in a project folder is. */
export type LogKind = 'conversation' | 'summary-only' | 'snapshot-only' | 'metadata-only' | 'empty' | 'unknown'

/** All that a list of sessions and a conversation's structure need to know of one log: plain data, made in one pass. */
export interface LogFacts extends LogTold {
  readonly nodes: readonly TreeNode[]
  /** How long was worked up to each of these, in milliseconds. */
  readonly spentMs: readonly number[]
  readonly usage: readonly UsedRow[]
  /** The row that the client was told to go on from, if nothing was written since; `BEFORE_FIRST` for none of them. */
  readonly leaf: string | null
}

/** Gathers the facts of one log, row by row. */
export class FactsFold {
  readonly #told = new ToldFold()
  readonly #nodes: TreeNode[] = []
  readonly #nodePacker = new NodePacker()
  readonly #usagePacker = new UsagePacker()
  readonly #spentMs: number[] = []
  readonly #usage: UsedRow[] = []

  /** Gives the row that the record makes, if it makes one. */
  add(record: LogRecord): TreeNode | undefined {
    const facts = rowFacts(record)
    this.#told.addRecord(record, facts)
    this.#addNode(facts)
    return facts.node
  }

  /** Adds a row that bears neither a title, a leaf or the like, nor anything of agents: all that `needsRecord` does not ask for. */
  addRow(facts: RowFacts): void {
    this.#told.addRow(facts)
    this.#addNode(facts)
  }

  /** Whether a row tells more than its facts: a call that starts an agent, or what was heard of one. */
  needsRecord(facts: RowFacts): boolean {
    return this.#told.needsRecord(facts)
  }

  facts(): LogFacts {
    const told = this.#told.told()
    return { ...told, nodes: this.#nodes, spentMs: this.#spentMs, usage: this.#usage, leaf: this.#leafOf(told.leaves) }
  }

  #addNode(facts: RowFacts): void {
    const { node: made, usage } = facts
    if (!made) return
    const node = this.#nodePacker.pack(made, facts.at)
    this.#nodes.push(node)
    this.#spentMs.push(this.#told.spentMs)
    if (!usage) return
    const evidence = this.#told.evidenceOf(facts.sessionId, facts.requestRef)
    this.#usage.push(this.#usagePacker.pack(usage, node, this.#nodes.length - 1, evidence))
  }

  /** The client ignores a leaf in another log. */
  #leafOf(leaves: readonly string[]): string | null {
    if (leaves.length === 0) return null
    const uuids = new Set(this.#nodes.map(({ uuid }) => uuid))
    const isMeant = (leaf: string) => (leaf === BEFORE_FIRST ? !this.#isAsked() : uuids.has(leaf))
    return leaves.findLast(isMeant) ?? null
  }

  /** Directly behind a prompt, zeros are the mark of the rewind that it was typed after: the client goes on from the prompt. */
  #isAsked(): boolean {
    return ASKED.has(this.#nodes.at(-1)?.kind)
  }
}

const ASKED: ReadonlySet<TreeNode['kind'] | undefined> = new Set(['prompt', 'command', 'bash-input'])

/** What kind of log these record types make. */
export function logKind(types: readonly string[], isKnown: (type: string) => boolean): LogKind {
  const only = (...allowed: string[]) => types.every((name) => allowed.includes(name))
  if (types.length === 0) return 'empty'
  if (types.includes('user') || types.includes('assistant')) return 'conversation'
  if (only('file-history-snapshot', 'file-history-delta')) return 'snapshot-only'
  if (only('summary', 'file-history-snapshot', 'file-history-delta')) return 'summary-only'
  return types.every(isKnown) ? 'metadata-only' : 'unknown'
}
