import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Line, LineSplitter, type SplitOptions } from './lines.ts'
import { type LogContents, LogReader, readLog } from './log.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const read = (input: string | Uint8Array) => readLog(typeof input === 'string' ? encode(input) : input)
const raws = ({ records }: LogContents) => records.map((record) => record.raw)

function split(chunks: readonly Uint8Array[], options?: SplitOptions): Line[] {
  const lines: Line[] = []
  const keep = (line: Line) => lines.push({ ...line, bytes: line.bytes.slice() })
  const splitter = new LineSplitter(options)
  for (const chunk of chunks) splitter.push(chunk, keep)
  splitter.finish(keep)
  return lines
}

/** Writes down what it is fed. */
function written() {
  const bytes: number[] = []
  return { update: (more: Uint8Array) => void bytes.push(...more), digest: () => textOf(Uint8Array.from(bytes)) }
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

test('splits on newlines alone, with the place of each line', () => {
  expect(split([encode('a\r\n\né\u2028b\nc')])).toMatchObject([
    { bytes: encode('a\r'), line: 1, offset: 0, length: 2, complete: true },
    { bytes: encode(''), line: 2, offset: 3, length: 0, complete: true },
    { bytes: encode('é\u2028b'), line: 3, offset: 4, length: 6, complete: true },
    { bytes: encode('c'), line: 4, offset: 11, length: 1, complete: false },
  ])
})

test('goes on from a place', () => {
  expect(split([encode('x\ny')], { offset: 100, line: 7 })).toMatchObject([
    { line: 8, offset: 100, length: 1 },
    { line: 9, offset: 102, complete: false },
  ])
})

test('gives nothing for nothing', () => {
  expect(split([])).toEqual([])
  expect(split([encode('')])).toEqual([])
  expect(split([encode('\n')])).toMatchObject([{ length: 0, complete: true }])
})

test('gives the same lines in any chunking, long ones by their hash', () => {
  const text = fc
    .array(fc.constantFrom('\n', 'a', 'bb', 'é', '\r', '\0', 'long text'), { maxLength: 60 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 80 }), (whole, cuts) => {
      const bytes = encode(whole)
      const chunks: Uint8Array[] = []
      let at = 0
      for (const size of cuts) {
        chunks.push(bytes.subarray(at, at + size))
        at += size
      }
      chunks.push(bytes.subarray(at))
      const options = { maxLineBytes: 12, hash: written }
      const lines = split(chunks, options)
      const expected = whole.split('\n')
      if (expected.at(-1) === '') expected.pop()
      expect(lines.map((line) => line.hash ?? textOf(line.bytes))).toEqual(expected)
      expect(lines.map((line) => line.hash !== undefined)).toEqual(expected.map((line) => encode(line).length > 12))
      expect(lines.map((line) => line.length)).toEqual(expected.map((line) => encode(line).length))
      expect(lines.reduce((size, line) => size + line.length + Number(line.complete), 0)).toBe(bytes.length)
    }),
    { numRuns: 500 },
  )
})

test('a line of exactly the most bytes is held, one more is not', () => {
  expect(split([encode(`${'x'.repeat(10)}\n${'y'.repeat(11)}\n`)], { maxLineBytes: 10, hash: written })).toMatchObject([
    { length: 10, bytes: encode('x'.repeat(10)) },
    { length: 11, bytes: encode(''), hash: 'y'.repeat(11), line: 2, offset: 11 },
  ])
})

test('P8: nothing but a newline ends a line', () => {
  for (const mark of ['\u2028', '\u2029', '\u0085', '\u000b', '\u000c', '\r', '\u001e']) {
    const inString = `{"a":"x${JSON.stringify(mark).slice(1, -1)}${mark >= '\u0080' ? mark : ''}y"}\n{"b":2}\n`
    expect(read(inString)).toMatchObject({ records: [{ place: { line: 1 } }, { place: { line: 2 } }], diagnostics: [] })
    const outside = read(`{"a":1}${mark}{"b":2}\n{"c":3}\n`)
    expect(raws(outside)).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }])
    expect(outside.records.map((r) => r.place.line)).toEqual([1, 1, 2])
  }
})

describe('P9: line ends and byte order marks', () => {
  test('mixed line ends, blank lines and marks are separators', () => {
    const text = '\ufeff{"a":1}\r\n\r\n\n \t\r\n\ufeff\n{"b":2}\n\ufeff\ufeff {"c":3}\r\r\n{"d":4}\r\n'
    const contents = read(text)
    expect(raws(contents)).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }, { d: 4 }])
    expect(contents.records.map((r) => r.place.line)).toEqual([1, 6, 7, 8])
    expect(contents.diagnostics).toEqual([])
    expect(contents.totals).toMatchObject({ blankLines: 4, lines: 4, recordBytes: 28 })
    expect(contents.totals.diagnosticBytes + contents.totals.recordBytes + contents.totals.separatorBytes).toBe(
      encode(text).length,
    )
  })

  test.each([
    ['little-endian', false, true],
    ['big-endian', true, true],
    ['little-endian without a mark', false, false],
    ['big-endian without a mark', true, false],
  ])('a UTF-16 file is one diagnostic: %s', (_, isBig, hasMark) => {
    const bytes = Buffer.from(`${hasMark ? '\ufeff' : ''}{"a":"é"}\n{"b":2}\n`, 'utf16le')
    const contents = read(isBig ? bytes.swap16() : bytes)
    expect(contents.records).toEqual([])
    expect(contents.diagnostics).toMatchObject([
      { code: 'UTF16', salvaged: false, place: { line: 1, offset: 0, length: bytes.length } },
    ])
    expect(contents.totals.diagnosticBytes + contents.totals.recordBytes + contents.totals.separatorBytes).toBe(
      bytes.length,
    )
  })
})

test('P17: records pass by one at a time, however many there are', () => {
  const chunk = encode('{"first":1}\n{"last":1}\n'.repeat(1000))
  let records = 0
  const reader = new LogReader('', { record: () => records++ })
  for (let i = 0; i < 250; i++) reader.push(chunk)
  const totals = reader.finish()
  expect(records).toBe(500_000)
  expect(totals).toMatchObject({
    lines: 500_000,
    endLine: 500_000,
    endOffset: 250 * chunk.length,
    separatorBytes: 500_000,
  })
})
