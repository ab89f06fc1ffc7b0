import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { LogDigest, Spending, WholeFacts } from '../core/digest.ts'
import { type LogFacts, NO_ROWS } from '../core/facts.ts'
import { KeySet } from '../core/key-set.ts'
import { type NodeParts, NodeTable } from '../core/node-table.ts'
import { TextPool } from '../core/text-pool.ts'
import { type UsageCells, type UsageParts, UsageTable } from '../core/usage-table.ts'
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

/**
 * A digest as bytes. What lists need of it comes first and is opened at once; what only sums need is opened when it is
 * asked for: it is most of the bytes, and smaller where it is to be kept.
 */
export function packDigest({ facts, asked, whole }: LogDigest, { compress = true } = {}): Uint8Array {
  const { nodes: _, usage: __, agentCalls: ___, ...light } = facts
  const { uuids, spending, ...counts } = whole ?? {}
  const head: DigestHead = { facts: light, asked, whole: whole && (counts as DigestHead['whole']) }
  const body: DigestBody | undefined = uuids &&
    spending && {
      uuids: uuids.keys,
      spending: { ...spending, rows: { pool: spending.rows.pool.parts(), ...spending.rows.cells() } },
    }
  const first = serialize(head)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(first.length)
  const rest = body ? serialize(body) : Buffer.alloc(0)
  return Buffer.concat([length, first, compress && body ? deflateRawSync(rest, { level: 1 }) : rest])
}

export function unpackDigest(bytes: Uint8Array, file: string): LogDigest {
  const end = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const { facts, asked, whole } = deserialize(bytes.subarray(4, end)) as DigestHead
  let opened: Pick<WholeFacts, 'uuids' | 'spending'> | undefined
  const open = () => {
    const rest = bytes.subarray(end)
    opened ??= openBody(deserialize(rest[0] === V8_MARK ? rest : inflateRawSync(rest)) as DigestBody, file)
    return opened
  }
  return {
    facts: { ...facts, ...NO_ROWS, summaries: facts.summaries },
    asked,
    whole: whole && {
      ...whole,
      get uuids() {
        return open().uuids
      },
      get spending() {
        return open().spending
      },
    },
  }
}

/** What V8 begins its own form with; a deflated stream of ours never does. */
const V8_MARK = 0xff

function openBody({ uuids, spending }: DigestBody, file: string): Pick<WholeFacts, 'uuids' | 'spending'> {
  const { pool, ...cells } = spending.rows
  const rows = new UsageTable(file, TextPool.from(pool), cells)
  return { uuids: new KeySet(uuids), spending: { ...spending, rows } }
}

interface DigestHead {
  readonly facts: Omit<LogFacts, 'nodes' | 'usage' | 'agentCalls'>
  readonly asked: string | null
  readonly whole: Omit<WholeFacts, 'uuids' | 'spending'> | null
}

interface DigestBody {
  readonly uuids: Float64Array
  readonly spending: Omit<Spending, 'rows'> & { readonly rows: UsageParts }
}
