import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { LogDigest, Spending, WholeFacts } from '../core/digest.ts'
import { type LogFacts, NO_ROWS } from '../core/facts.ts'
import { KeySet } from '../core/key-set.ts'
import { type NodeParts, NodeTable } from '../core/node-table.ts'
import { TextPool } from '../core/text-pool.ts'
import { extractRows, type UsagePieces } from '../core/usage-extract.ts'
import { UsageFold } from '../core/usage-fold.ts'
import { type UsageCells, UsageTable } from '../core/usage-table.ts'
import { type Column, numbersIn, packColumns, unpackColumns } from './columns.ts'
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
export function packDigest(digest: LogDigest, { compress = true } = {}): Uint8Array {
  const head = serialize(headOf(digest))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length)
  const sums = digest.whole ? packColumns(sumsOf(digest.whole), { compress }) : []
  return Buffer.concat([length, head, ...sums])
}

export function unpackDigest(bytes: Uint8Array, file: string): LogDigest {
  const end = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  return openDigest(deserialize(bytes.subarray(4, end)) as DigestHead, () => openSums(bytes.subarray(end), file))
}

/** The heads of many digests as bytes. */
export function packShelf(digests: readonly LogDigest[]): Uint8Array {
  return serialize(digests.map(headOf))
}

/** The digests again; each gets what only sums need from one that was kept by itself. */
export function unpackShelf(
  bytes: Uint8Array,
  wholeOf: readonly (() => LogDigest | undefined)[],
): readonly LogDigest[] {
  const heads = deserialize(bytes) as readonly DigestHead[]
  return heads.map((head, i) => openDigest(head, () => wholeOf[i]?.()?.whole ?? NOTHING))
}

/** Of a log that has vanished meanwhile. */
const NOTHING: SumsOf = {
  uuids: KeySet.of([]),
  abandonedUuids: KeySet.of([]),
  spending: { rows: new UsageTable(''), synthetic: [], abandoned: [], interrupts: 0, compactions: 0 },
}

type SumsOf = Pick<WholeFacts, 'uuids' | 'abandonedUuids' | 'spending'>

/** Names its parts one by one: merely to look at the others would open them. */
function headOf({ facts, whole }: LogDigest): DigestHead {
  const { nodes: _, usage: __, agentCalls: ___, ...light } = facts
  return {
    facts: light,
    whole: whole && {
      lines: whole.lines,
      counts: whole.counts,
      branches: whole.branches,
      compactions: whole.compactions,
      models: whole.models,
      parentElsewhere: whole.parentElsewhere,
      hasSidechains: whole.hasSidechains,
    },
  }
}

function openDigest({ facts, whole }: DigestHead, open: () => SumsOf): LogDigest {
  let opened: SumsOf | undefined
  const sums = () => {
    opened ??= open()
    return opened
  }
  return {
    facts: { ...facts, ...NO_ROWS, summaries: facts.summaries },
    whole: whole && {
      ...whole,
      get uuids() {
        return sums().uuids
      },
      get abandonedUuids() {
        return sums().abandonedUuids
      },
      get spending() {
        return sums().spending
      },
    },
  }
}

function* sumsOf({ uuids, abandonedUuids, spending }: SumsOf): Iterable<Column> {
  const { rows, ...words } = spending
  const { pool, numbers, amounts, log } = decisiveRows(rows)
  yield [serialize({ ...words, log } satisfies SumsWords)]
  yield [uuids.keys]
  yield [abandonedUuids.keys]
  yield pool.bytes
  yield [pool.ends]
  yield [Uint32Array.from(pool.wide)]
  yield numbers
  yield amounts
}

/** Of the rows of each response those that decide what it counts for. */
function decisiveRows(usage: UsageTable): UsagePieces {
  const fold = new UsageFold(usage.pool)
  fold.addRows({ table: usage }, undefined)
  return extractRows(usage, () => fold.decisive())
}

function openSums(packed: Uint8Array, file: string): SumsOf {
  const [words, uuids, abandoned, bytes, ends, wide, numbers, amounts] = unpackColumns(packed)
  const pool = TextPool.from({
    bytes: bytes as Uint8Array,
    ends: numbersIn(ends, Uint32Array),
    wide: [...numbersIn(wide, Uint32Array)],
  })
  const { log, ...spending } = deserialize(words as Uint8Array) as SumsWords
  const cells = { numbers: numbersIn(numbers, Int32Array), amounts: numbersIn(amounts, Float64Array), log }
  return {
    uuids: new KeySet(numbersIn(uuids, Float64Array)),
    abandonedUuids: new KeySet(numbersIn(abandoned, Float64Array)),
    spending: { ...spending, rows: new UsageTable(file, pool, cells) },
  }
}

type SumsWords = Omit<Spending, 'rows'> & Pick<UsageCells, 'log'>

interface DigestHead {
  readonly facts: Omit<LogFacts, 'nodes' | 'usage' | 'agentCalls'>
  readonly whole: Omit<WholeFacts, keyof SumsOf> | null
}
