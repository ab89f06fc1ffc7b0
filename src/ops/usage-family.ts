import type { TreeNode } from '../core/node.ts'
import { askedText, commandText } from '../core/title.ts'
import { buildTree, type Tree } from '../core/tree.ts'
import { cutTurns } from '../core/turns.ts'
import type { UsageRow } from '../core/usage.ts'
import { type Agent, type FamilyLogs, linkFamily } from '../disk/family.ts'
import type { Source } from '../disk/source.ts'

/** An agent by its id, its type (or what kind of agent it is where it has none), and what it was for. */
export interface AgentName {
  readonly id: string
  readonly type: string
  readonly label: string | null
}

/** A turn: its number, with the branch behind it where that was abandoned, and what was asked. */
export interface TurnName {
  readonly key: string
  readonly label: string | null
}

/** Says of a row of a family which agent wrote it, and which turn it belongs to. */
export interface FamilyNames {
  readonly agentOf: (row: UsageRow) => AgentName | undefined
  readonly turnOf: (row: UsageRow) => TurnName
}

const NO_TURN: TurnName = { key: '0', label: null }

/** Learns the names of a family's agents and turns. An agent's responses belong to the turn that started it. */
export function nameFamily(source: Source, logs: FamilyLogs): FamilyNames {
  const agents = linkFamily(source, logs)
  const mainFile = logs.main?.entry.path
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const byFile = new Map(agents.map((agent) => [agent.entry.path, agent]))
  const inline = new Map<number, Agent>()
  for (const agent of agents) {
    if (agent.entry.path === mainFile) for (const node of agent.nodes) inline.set(node.offset, agent)
  }
  const agentOf = ({ place }: UsageRow) => (place.file === mainFile ? inline.get(place.offset) : byFile.get(place.file))
  const turns = turnsOf(logs)
  const callTurn = (agent: Agent | undefined): TurnName | undefined => {
    // Agents that start agents: up to the one that the session itself started. A loop of them ends somewhere.
    for (let at = agent, steps = 0; at && steps < 100; steps++) {
      const { place } = at.call ?? {}
      if (place?.file === mainFile) return turns.byOffset.get(place?.offset ?? -1)
      at = byId.get(at.parentAgent ?? '')
    }
    return undefined
  }
  return {
    agentOf: (row) => {
      const agent = agentOf(row)
      return agent && { id: agent.id, type: agent.type ?? agent.class, label: agent.description }
    },
    turnOf: (row) => {
      const agent = agentOf(row)
      const own = agent ? callTurn(agent) : turns.byOffset.get(row.place.offset)
      return own ?? turns.at(row.timestamp) ?? NO_TURN
    },
  }
}

function turnsOf(logs: FamilyLogs) {
  const byOffset = new Map<number, TurnName>()
  const starts: { readonly at: string; readonly name: TurnName }[] = []
  const facts = logs.main?.known.facts
  const tree = facts && buildTree(facts.nodes, { leaf: facts.leaf })
  const branches = tree ? tree.branches.toSorted((a, b) => Number(b === tree.active) - Number(a === tree.active)) : []
  for (const branch of branches) {
    const suffix = branch === tree?.active ? '' : `~${tree?.nodes.at(branch.leaf)?.uuid.slice(0, 8)}`
    for (const { number, prompt, rows } of tree ? cutTurns(tree, branch.rows) : []) {
      const first = tree?.nodes.at(prompt ?? rows[0] ?? -1)
      const name = { key: `${number}${suffix}`, label: first ? saidIn(first) : null }
      const own = [...(prompt === undefined ? [] : [prompt]), ...rows].map((i) => offsetOf(tree, i))
      for (const offset of own) if (!byOffset.has(offset)) byOffset.set(offset, name)
      if (suffix === '' && first?.timestamp) starts.push({ at: first.timestamp, name })
    }
  }
  return { byOffset, at: (time: string) => starts.findLast((start) => start.at <= time)?.name }
}

function offsetOf(tree: Tree | undefined, row: number): number {
  return tree?.nodes.at(row)?.offset ?? -1
}

function saidIn(node: TreeNode): string | null {
  return askedText(node) ?? commandText(node) ?? node.preview
}
