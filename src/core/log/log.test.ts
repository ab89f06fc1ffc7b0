import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LogReader, type LogTotals, readLog } from './log.ts'
import type { LogRecord } from './record.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const covered = (t: LogTotals) => t.recordBytes + t.diagnosticBytes + t.separatorBytes + t.pendingBytes

function readInChunks(input: Uint8Array, size: number, maxLineBytes?: number) {
  const records: LogRecord[] = []
  const codes: string[] = []
  const options = { ...(maxLineBytes === undefined ? {} : { maxLineBytes }) }
  const sink = { record: (r: LogRecord) => records.push(r), diagnostic: (d: { code: string }) => codes.push(d.code) }
  const reader = new LogReader('', sink, options)
  for (let at = 0; at < input.length; at += size) reader.push(input.subarray(at, at + size))
  return { records, codes, totals: reader.finish() }
}

const record = fc.constantFrom(
  '{"type":"user","n":1}',
  '{"type":"x","s":"é😀\\u0000"}',
  '{}',
  '{"a":{"b":[1,{"c":"}{"}]}}',
)
const piece = fc.oneof(
  { weight: 5, arbitrary: record },
  { weight: 3, arbitrary: fc.constant('\n') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\0\0', '\r\n', '\ufeff', ' ', '{"type":"us', '[1]', 'null', '}', '"', '\u2028'),
  },
)
const logLike = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((pieces) => bytes(pieces.join(''))),
  fc.uint8Array({ maxLength: 300 }),
)

test('accounts for every byte of any input, and no two things own the same byte', () => {
  fc.assert(
    fc.property(logLike, (input) => {
      const { records, diagnostics, totals } = readLog(input)
      expect(covered(totals)).toBe(input.length)
      const owned = [...records, ...diagnostics.filter((d) => !d.salvaged)].map((x) => x.place)
      owned.sort((a, b) => a.offset - b.offset)
      for (let i = 1; i < owned.length; i++) {
        const before = owned[i - 1] as { offset: number; length: number }
        expect(owned[i]?.offset).toBeGreaterThanOrEqual(before.offset + before.length)
      }
    }),
    { numRuns: 2000 },
  )
})

test('gives the same in any chunking', () => {
  fc.assert(
    fc.property(logLike, fc.integer({ min: 1, max: 17 }), (input, size) => {
      expect(readInChunks(input, size)).toEqual(readInChunks(input, Math.max(1, input.length)))
    }),
    { numRuns: 1000 },
  )
})

test('reads each record back from its place', () => {
  fc.assert(
    fc.property(logLike, (input) => {
      for (const r of readLog(input).records) {
        const { offset, length } = r.place
        const text = new TextDecoder().decode(input.subarray(offset, offset + length))
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(r.raw))
      }
    }),
  )
})

test('leaves a half-written last line pending, whatever byte it ends at', () => {
  const first = '{"type":"user","text":"one"}\n'
  const second = '{"type":"user","text":"é"}'
  for (let cut = 1; cut < bytes(second).length; cut++) {
    const { records, diagnostics, totals } = readLog(bytes(first + second).subarray(0, bytes(first).length + cut))
    expect(records).toHaveLength(1)
    expect(diagnostics).toEqual([])
    expect(totals).toMatchObject({ pendingBytes: cut, endOffset: bytes(first).length, endLine: 1 })
  }
})

test('marks a whole last line without newline as provisional and stays before it', () => {
  const { records, totals } = readLog(bytes('{"a":1}\n{"b":2}'))
  expect(records.map((r) => r.provisional)).toEqual([undefined, true])
  expect(totals).toMatchObject({ records: 2, lines: 2, pendingBytes: 0, endOffset: 8, endLine: 1 })
})

test('counts blank lines, CRLF and byte order marks as separators', () => {
  const { records, diagnostics, totals } = readLog(bytes('\ufeff{"a":1}\r\n\r\n  \n\ufeff{"b":2}\n'))
  expect(records.map((r) => r.raw)).toEqual([{ a: 1 }, { b: 2 }])
  expect(diagnostics).toEqual([])
  expect(totals).toMatchObject({ lines: 2, blankLines: 2, separatorBytes: 3 + 2 + 2 + 3 + 3 + 1, recordBytes: 14 })
})

test('reads a line over the limit as an oversize record, and the next line as usual', () => {
  const { records, codes, totals } = readInChunks(bytes(`{"a":"${'x'.repeat(100)}"}\n{"b":2}\n`), 7, 50)
  expect(records.map((r) => [r.kind, r.place.offset, r.place.length])).toEqual([
    ['oversize', 0, 108],
    ['unknown', 109, 7],
  ])
  expect(codes).toEqual(['OVERSIZE'])
  expect(covered(totals)).toBe(totals.bytes)
})

test('reads a UTF-16 file as one diagnostic', () => {
  const utf16 = new Uint8Array(new Uint16Array([...'\ufeff{"a":1}\n{"b":2}\n'].map((c) => c.charCodeAt(0))).buffer)
  for (const input of [utf16, utf16.subarray(2)]) {
    const { records, codes, totals } = readInChunks(input, 3)
    expect(records).toEqual([])
    expect(codes).toEqual(['UTF16'])
    expect(covered(totals)).toBe(input.length)
  }
})
