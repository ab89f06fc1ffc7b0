import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { LogFacts } from '../core/facts.ts'
import { type NodeParts, NodeTable } from '../core/node-table.ts'
import { type UsageCells, UsageTable } from '../core/usage-table.ts'
import type { KnownFacts } from './log-facts.ts'

/** Facts as bytes, for a cache that hands them back to the same version of this file. */
export function packFacts({ facts, totals, diagnostics }: KnownFacts): Uint8Array {
  const packed: PackedFacts = {
    facts: { ...facts, nodes: facts.nodes.parts(), usage: facts.usage.cells() },
    totals,
    diagnostics,
  }
  return deflateRawSync(serialize(packed), { level: 1 })
}

/** `file` is where the log lies now. */
export function unpackFacts(bytes: Uint8Array, file: string): KnownFacts {
  const { facts, totals, diagnostics } = deserialize(inflateRawSync(bytes)) as PackedFacts
  const nodes = new NodeTable(facts.nodes)
  return { facts: { ...facts, nodes, usage: new UsageTable(file, nodes.pool, facts.usage) }, totals, diagnostics }
}

interface PackedFacts extends Omit<KnownFacts, 'facts'> {
  readonly facts: Omit<LogFacts, 'nodes' | 'usage'> & { readonly nodes: NodeParts; readonly usage: UsageCells }
}
