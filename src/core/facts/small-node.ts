import { isoText } from '../time.ts'
import type { TreeNode } from '../tree/node.ts'
import { Alikes } from './alikes.ts'

/** What many rows have in common. */
interface Alike extends Pick<TreeNode, 'type' | 'kind' | 'isSidechain' | 'model' | 'agentId' | 'forkedFrom'> {
  /** The tool that is called, where there is a call. */
  readonly tool: string | null
  /** Whether the answer to a call is an error, where there is one. */
  readonly isError: boolean | null
}

/** Makes the nodes of a log small: all of them are held while it is open (docs/decisions/performance.md). */
export class NodePacker {
  readonly #alikes = new Alikes(isAlike)
  /** Calls that are not answered yet, so that both rows hold the same text. */
  readonly #calls = new Map<string, string>()

  /** The node itself where it tells more than most answers and results do; `at` is its time in milliseconds. */
  pack(node: TreeNode, at: number): TreeNode {
    const { type, kind, isSidechain, model, agentId, forkedFrom, toolUses, toolResults } = node
    if (node.logicalParent !== null || node.subtype !== null || node.preview !== null || node.preserved !== null)
      return node
    if (node.command !== null || node.compaction !== null) return node
    if (toolUses.length + toolResults.length > 1 || node.timestamp !== timeText(at)) return node
    const [call] = toolUses
    const [result] = toolResults
    const [tool, isError] = [call?.name ?? null, result?.isError ?? null]
    const alike = this.#alikes.of({ type, kind, isSidechain, model, agentId, forkedFrom, tool, isError })
    return new SmallNode(node, at, this.#idOf(call?.id, result?.id), alike)
  }

  #idOf(call: string | undefined, result: string | undefined): string | null {
    if (call !== undefined) this.#calls.set(call, call)
    if (result === undefined) return call ?? null
    const id = this.#calls.get(result) ?? result
    this.#calls.delete(result)
    return id
  }
}

function isAlike(one: Alike, other: Alike): boolean {
  return (
    one.kind === other.kind &&
    one.tool === other.tool &&
    one.isError === other.isError &&
    one.type === other.type &&
    one.isSidechain === other.isSidechain &&
    one.model === other.model &&
    one.agentId === other.agentId &&
    one.forkedFrom === other.forkedFrom
  )
}

/** A node that holds what is its own; the rest is told by what it has in common with others, or is not there. */
class SmallNode implements TreeNode {
  readonly uuid: string
  readonly parent: string | null
  readonly line: number
  readonly offset: number
  readonly length: number
  readonly messageId: string | null
  private readonly at: number
  /** Of its call, or of the call that it answers. */
  private readonly id: string | null
  private readonly alike: Alike

  constructor(node: TreeNode, at: number, id: string | null, alike: Alike) {
    this.uuid = node.uuid
    this.parent = node.parent
    this.line = node.line
    this.offset = node.offset
    this.length = node.length
    this.messageId = node.messageId
    this.at = at
    this.id = id
    this.alike = alike
  }

  get type() {
    return this.alike.type
  }

  get kind() {
    return this.alike.kind
  }

  get isSidechain() {
    return this.alike.isSidechain
  }

  get model() {
    return this.alike.model
  }

  get agentId() {
    return this.alike.agentId
  }

  get forkedFrom() {
    return this.alike.forkedFrom
  }

  get timestamp() {
    return timeText(this.at)
  }

  get toolUses(): TreeNode['toolUses'] {
    const { tool } = this.alike
    return this.id === null || tool === null ? NONE : [{ id: this.id, name: tool }]
  }

  get toolResults(): TreeNode['toolResults'] {
    const { isError } = this.alike
    return this.id === null || isError === null ? NONE : [{ id: this.id, isError }]
  }

  get logicalParent() {
    return null
  }

  get subtype() {
    return null
  }

  get preview() {
    return null
  }

  get command() {
    return null
  }

  get preserved() {
    return null
  }

  get compaction() {
    return null
  }
}

const NONE: readonly never[] = []

function timeText(at: number): string | null {
  return Number.isNaN(at) ? null : isoText(at)
}
