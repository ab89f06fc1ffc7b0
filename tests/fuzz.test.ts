import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FactsFold } from '../src/core/facts/facts.ts'
import { CheckFold } from '../src/core/log/check-log.ts'
import { type LogContents, LogReader, readLog } from '../src/core/log/log.ts'
import type { LogRecord } from '../src/core/log/record.ts'
import { buildTree } from '../src/core/tree/tree.ts'
import { countRows, cutTurns } from '../src/core/tree/turns.ts'
import { UsageFold } from '../src/core/usage/usage-fold.ts'
import { log } from '../src/testing/index.ts'

/** How many mutated logs are read; a long run names another number. */
const RUNS = Number(process.env.ANNALS_FUZZ ?? 2000)

const LOGS = ['1.0.0', '1.0.128', '2.0.37', '2.1.45', '2.1.112', '2.1.325'].map((version) =>
  Buffer.from(
    log({ version })
      .user('Où est {"it"}? 😀')
      .assistant('Here:\n```json\n{"a":[1,2]}\n```', { thinking: 'Hm.' })
      .parallel([{ name: 'Bash', input: { command: 'echo "}{"' }, output: '}{' }, { name: 'Read' }])
      .subagent({ description: 'Look', prompt: 'Look.', result: 'Seen.' })
      .assistant('Done.')
      .command('cost', { output: '$1' })
      .rewind({ to: 1 })
      .user('Again.')
      .assistant('Well.')
      .interrupt()
      .user('Go on.')
      .content(),
  ),
)

/** One thing that goes wrong with a file. Places are parts of its length, so that they fit any file. */
const mutation = fc.record({
  kind: fc.constantFrom('flip', 'set', 'delete', 'repeat', 'move', 'nul', 'insert', 'truncate', 'swallow', 'splice'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  to: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 5000 })),
  byte: fc.integer({ min: 0, max: 255 }),
  piece: fc.constantFrom(
    '\n',
    '\r\n',
    '\ufeff',
    '\u2028',
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '{}',
    '\n\n',
    '{"a":1}',
    '\ud83d',
  ),
})
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never

function mutate(bytes: Buffer, { kind, at, to, length, byte, piece }: Mutation): Buffer {
  const from = Math.floor(at * bytes.length)
  const target = Math.floor(to * bytes.length)
  const end = Math.min(from + length, bytes.length)
  const part = bytes.subarray(from, end)
  const without = Buffer.concat([bytes.subarray(0, from), bytes.subarray(end)])
  const put = (into: Buffer, where: number, what: Uint8Array) =>
    Buffer.concat([into.subarray(0, where), what, into.subarray(where)])
  const set = (value: number) =>
    Buffer.concat([bytes.subarray(0, from), Uint8Array.of(value), bytes.subarray(from + 1)])
  switch (kind) {
    case 'flip':
      return set((bytes[from] ?? 0) ^ (1 << (byte % 8)))
    case 'set':
      return set(byte)
    case 'delete':
      return without
    case 'repeat':
      return put(bytes, target, part)
    case 'move':
      return put(without, Math.min(target, without.length), part)
    case 'nul':
      return Buffer.concat([bytes.subarray(0, from), new Uint8Array(end - from), bytes.subarray(end)])
    case 'insert':
      return put(bytes, from, Buffer.from(piece))
    case 'truncate':
      return bytes.subarray(0, from)
    case 'swallow': {
      const newline = bytes.indexOf(0x0a, from)
      return newline === -1 ? bytes : Buffer.concat([bytes.subarray(0, newline), bytes.subarray(newline + 1)])
    }
    case 'splice':
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(target)])
  }
}

function expectAccounted({ records, diagnostics, totals }: LogContents, input: Uint8Array) {
  const { recordBytes, diagnosticBytes, separatorBytes, pendingBytes } = totals
  expect(recordBytes + diagnosticBytes + separatorBytes + pendingBytes).toBe(input.length)
  const owned = [...records, ...diagnostics.filter((d) => !d.salvaged)].map((owner) => owner.place)
  owned.sort((a, b) => a.offset - b.offset)
  let end = 0
  let isApart = true
  for (const { offset, length } of owned) {
    isApart &&= offset >= end
    end = offset + length
  }
  expect(isApart).toBe(true)
  expect(end).toBeLessThanOrEqual(input.length)
}

function readInChunks(input: Uint8Array, size: number): LogContents {
  const records: LogRecord[] = []
  const diagnostics: LogContents['diagnostics'][number][] = []
  const reader = new LogReader('', { record: (r) => records.push(r), diagnostic: (d) => diagnostics.push(d) })
  for (let at = 0; at < input.length; at += size) reader.push(input.subarray(at, at + size))
  return { records, diagnostics, totals: reader.finish() }
}

function expectTreeWhole(contents: LogContents, input: Uint8Array) {
  const facts = new FactsFold()
  const check = new CheckFold('')
  for (const record of contents.records) {
    facts.add(record)
    check.record(record, input.subarray(record.place.offset, record.place.offset + record.place.length))
  }
  check.result()
  const { nodes, usage, leaf } = facts.facts()
  const tree = buildTree(nodes, { leaf })
  const reached = new Set([...tree.branches.flatMap((b) => b.rows), ...tree.sidechains.flatMap((s) => s.rows)])
  expect(reached.size).toBe(nodes.length)
  for (const branch of tree.branches) cutTurns(tree, branch.rows)
  countRows(tree)
  const fold = new UsageFold()
  for (const row of usage) fold.add(row)
  expect(Object.values(fold.total()).every(Number.isSafeInteger)).toBe(true)
}

/** Lines that are still as they were written are still read. */
function expectRestRead(contents: LogContents, original: Buffer, input: Buffer) {
  if (contents.diagnostics.some((d) => d.code === 'UTF16')) return
  const written = new Set(original.toString('latin1').split('\n'))
  const whole = input.toString('latin1').split('\n').slice(0, -1)
  const untouched = whole.flatMap((line, i) => (line !== '' && written.has(line) ? [i + 1] : []))
  const read = new Set(contents.records.filter((r) => !r.salvaged).map((r) => r.place.line))
  expect(untouched.filter((line) => !read.has(line))).toEqual([])
}

test(`P26: ${RUNS} mutated logs are read without a throw, every byte accounted for, every row kept`, {
  timeout: 0,
}, () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LOGS),
      fc.array(mutation, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 5000 }),
      (original, mutations, chunk) => {
        const input = mutations.reduce(mutate, original)
        const contents = readLog(input)
        expectAccounted(contents, input)
        expectTreeWhole(contents, input)
        expectRestRead(contents, original, input)
        expect(readInChunks(input, chunk).totals).toEqual(contents.totals)
      },
    ),
    { numRuns: RUNS },
  )
})
