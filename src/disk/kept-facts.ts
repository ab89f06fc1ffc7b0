import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { LogDigest, Spending, WholeFacts } from '../core/digest.ts'
import { type LogFacts, NO_ROWS } from '../core/facts.ts'
import { KeySet } from '../core/key-set.ts'
import { type NodeParts, NodeTable } from '../core/node-table.ts'
import { UsageTable } from '../core/usage-table.ts'
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
  return { facts: { ...facts, nodes, usage: new UsageTable(file, nodes, facts.usage) }, totals, diagnostics }
}

interface PackedFacts extends Omit<KnownFacts, 'facts'> {
  readonly facts: Omit<LogFacts, 'nodes' | 'usage'> & { readonly nodes: NodeParts; readonly usage: Float64Array }
}

/** A digest as bytes, smaller where it is to be kept. */
export function packDigest({ facts, asked, whole }: LogDigest, { compress = true } = {}): Uint8Array {
  const { nodes: _, usage: __, agentCalls: ___, ...light } = facts
  const packed: PackedDigest = {
    facts: light,
    asked,
    whole: whole && {
      ...whole,
      uuids: whole.uuids.keys,
      spending: {
        ...whole.spending,
        rows: { nodes: whole.spending.rows.nodes.parts(), usage: whole.spending.rows.cells() },
      },
    },
  }
  const bytes = serialize(packed)
  return compress ? deflateRawSync(bytes, { level: 1 }) : bytes
}

export function unpackDigest(bytes: Uint8Array, file: string): LogDigest {
  const { facts, asked, whole } = deserialize(bytes[0] === V8_MARK ? bytes : inflateRawSync(bytes)) as PackedDigest
  return {
    facts: { ...facts, ...NO_ROWS, summaries: facts.summaries },
    asked,
    whole: whole && {
      ...whole,
      uuids: new KeySet(whole.uuids),
      spending: { ...whole.spending, rows: openUsage(whole.spending.rows, file) },
    },
  }
}

/** What V8 begins its own form with; a deflated stream of ours never does. */
const V8_MARK = 0xff

function openUsage({ nodes, usage }: PackedUsage, file: string): UsageTable {
  return new UsageTable(file, new NodeTable(nodes), usage)
}

interface PackedUsage {
  readonly nodes: NodeParts
  readonly usage: Float64Array
}

interface PackedDigest {
  readonly facts: Omit<LogFacts, 'nodes' | 'usage' | 'agentCalls'>
  readonly asked: string | null
  readonly whole:
    | (Omit<WholeFacts, 'uuids' | 'spending'> & {
        readonly uuids: Float64Array
        readonly spending: Omit<Spending, 'rows'> & { readonly rows: PackedUsage }
      })
    | null
}
