import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FactsFold } from '../core/facts/facts.ts'
import { readLog } from '../core/log/log.ts'
import { foldLog, readFacts } from './log-facts.ts'
import type { Source, SourceEntry } from './source.ts'

const entry: SourceEntry = { root: '/r', path: '/r/projects/-p/s.jsonl', sizeBytes: 0, modifiedAt: 0 }

function entryOf(bytes: Uint8Array): SourceEntry {
  return { ...entry, sizeBytes: bytes.length }
}

/** A log in memory, given in pieces of at most so many bytes. */
function memory(bytes: Uint8Array, most: number): Source {
  return {
    list: () => [],
    read(_, offset, into) {
      const part = bytes.subarray(offset, offset + Math.min(most, into.length))
      into.set(part)
      return part.length
    },
  }
}

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const usage = { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 7 }
const line = fc.oneof(
  fc
    .nat(9)
    .map((n) => ({ type: 'user', uuid: uuid(n), parentUuid: null, message: { role: 'user', content: `ask ${n}` } })),
  fc.nat(9).map((n) => ({
    type: 'assistant',
    uuid: uuid(n),
    parentUuid: uuid(n - 1 < 0 ? 9 : n - 1),
    sessionId: uuid(100),
    timestamp: `2026-01-01T00:00:0${n}.000Z`,
    requestId: `req_${n}`,
    slug: `a-slug-${n % 3}`,
    message: {
      role: 'assistant',
      id: `msg_${n % 4}`,
      model: 'claude-opus-4-5',
      usage,
      content: [{ type: 'tool_use', id: `toolu_${n}`, name: n % 2 ? 'Task' : 'Bash', input: { prompt: `do ${n}` } }],
    },
  })),
  fc.nat(9).map((n) => ({
    type: 'user',
    uuid: uuid(n),
    parentUuid: uuid(9 - n),
    toolUseResult: { agentId: `a${n}`, status: 'completed' },
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${n}`, content: 'done' }] },
  })),
  fc.nat(9).map((n) => ({ type: 'api-request', id: `ref_${n}` })),
  fc
    .nat(9)
    .map((n) => ({ type: 'progress', uuid: uuid(n), parentToolUseID: `toolu_${n}`, data: { agentId: `b${n}` } })),
  fc.nat(9).map((n) => ({ type: 'custom-title', customTitle: `title ${n}` })),
  fc.nat(9).map((n) => ({ type: 'last-prompt', explicit: true, leafUuid: uuid(n) })),
)
const text = fc.oneof(
  { weight: 8, arbitrary: line.map((row) => JSON.stringify(row)) },
  fc.constantFrom('', '  ', '\r', '{"type":"user"', 'null', '{"a":1}{"b":2}', '\ufeff{"type":"mode"}', '\0\0'),
)
const log = fc
  .tuple(fc.array(text, { maxLength: 14 }), fc.boolean())
  .map(([lines, ends]) => new TextEncoder().encode(lines.join('\n') + (ends ? '\n' : '')))

test('a log read by skim has the facts and the accounts of one read record by record', () => {
  fc.assert(
    fc.property(log, fc.integer({ min: 1, max: 400 }), (bytes, most) => {
      const parsed = readLog(bytes, entry.path)
      const fold = new FactsFold()
      for (const record of parsed.records) fold.add(record)
      expect(readFacts(memory(bytes, most), entryOf(bytes))).toEqual({
        facts: fold.facts(),
        totals: parsed.totals,
        diagnostics: parsed.diagnostics,
      })
    }),
  )
})

test('a log in UTF-16 is one diagnostic', () => {
  const bytes = new Uint8Array(Buffer.from('\ufeff{"type":"user"}\n', 'utf16le'))
  const read = foldLog(memory(bytes, 3), entryOf(bytes), new FactsFold())
  expect(read?.diagnostics.map(({ code }) => code)).toEqual(['UTF16'])
  expect(read?.totals.diagnosticBytes).toBe(bytes.length)
})

test('a log that is gone has no facts', () => {
  expect(readFacts({ list: () => [], read: () => undefined }, entry)).toBeUndefined()
})

test('a log that was cut since it was listed is read to where it ends, one that has grown at least to where it ended', () => {
  const bytes = new TextEncoder().encode('{"type":"mode"}\n'.repeat(4))
  const bytesRead = (sizeBytes: number) =>
    foldLog(memory(bytes, 10), { ...entry, sizeBytes }, new FactsFold())?.totals.bytes
  expect(bytesRead(1000)).toBe(64)
  expect(bytesRead(32)).toBe(40)
})
