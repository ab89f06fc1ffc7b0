import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readLog } from '../core/log/log.ts'
import type { LogRecord } from '../core/log/record.ts'
import { type PageLimit, type RecordPage, readHead, readTail } from './page.ts'
import type { Source, SourceEntry } from './source.ts'

/** A log in memory; `atMost` makes every read short, as a disk may. */
function inMemory(
  text: string | Uint8Array,
  atMost = Number.POSITIVE_INFINITY,
): { source: Source; entry: SourceEntry } {
  const bytes = Buffer.from(text)
  const entry = { root: '/', path: '/s.jsonl', sizeBytes: bytes.length, modifiedAt: 0 }
  const read = (_: SourceEntry, offset: number, into: Uint8Array) => {
    const part = bytes.subarray(offset, offset + Math.min(into.length, atMost))
    into.set(part)
    return part.length
  }
  return { source: { list: () => [entry], read }, entry }
}

const ALL: PageLimit = { records: 1e6, bytes: 1e9 }
const brief = (records: readonly LogRecord[]) => records.map((r) => [r.place.offset, r.place.length])
const whole = (text: string) => brief(readLog(Buffer.from(text)).records)

const aLine = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('{}', '{"a":1}', '{"type":"user","text":"é😀"}', '{"a":1}\r') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '\r', '\ufeff', 'bad', '{"a":1}{"b":2}', '{"torn":"{"b":2}', '\0\0{"a":1}'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(30, 1000, 65_535, 65_536, 70_000, 200_000).map((n) => `{"a":"${'x'.repeat(n)}"}`),
  },
)
const aLog = fc.tuple(fc.array(aLine, { maxLength: 12 }), fc.boolean()).map(([lines, ends]) => {
  const last = lines.at(-1) ?? ''
  // A last line that is not one whole record must have its newline here: half lines are tested below.
  const isWhole = readLog(Buffer.from(last)).totals.pendingBytes === 0
  return lines.join('\n') + (lines.length > 0 && (ends || !isWhole) ? '\n' : '')
})
const aLimit = fc.record({ records: fc.integer({ min: 1, max: 20 }), bytes: fc.integer({ min: 1, max: 300_000 }) })
const aRead = fc.constantFrom(1000, 65_536, Number.POSITIVE_INFINITY)

describe('any log, any limit', () => {
  test('the head is the first records of the whole', () => {
    fc.assert(
      fc.property(aLog, aLimit, aRead, (text, limit, atMost) => {
        const { source, entry } = inMemory(text, atMost)
        const page = readHead(source, entry, limit)
        const all = whole(text)
        expect(brief(page.records)).toEqual(all.slice(0, page.records.length))
        expect(page).toMatchObject({ from: 0, atStart: true })
        expect(page.atEnd).toBe(page.to === entry.sizeBytes)
        if (page.atEnd) expect(page.records).toHaveLength(all.length)
      }),
      { numRuns: 500 },
    )
  })

  test('the tail is the last records of the whole', () => {
    fc.assert(
      fc.property(aLog, aLimit, aRead, (text, limit, atMost) => {
        const { source, entry } = inMemory(text, atMost)
        const page = readTail(source, entry, limit)
        const all = whole(text)
        expect(brief(page.records)).toEqual(page.records.length === 0 ? [] : all.slice(-page.records.length))
        expect(page).toMatchObject({ to: entry.sizeBytes, atEnd: true })
        expect(page.atStart).toBe(page.from === 0)
        if (page.atStart) expect(page.records).toHaveLength(all.length)
      }),
      { numRuns: 500 },
    )
  })

  test('pages from either end come to the other, and hold every record once', () => {
    fc.assert(
      fc.property(aLog, aLimit, (text, limit) => {
        const { source, entry } = inMemory(text)
        const forwards: RecordPage[] = []
        for (let from = 0; from < entry.sizeBytes; from = forwards.at(-1)?.to as number) {
          forwards.push(readHead(source, entry, limit, from))
          expect(forwards.at(-1)?.to).toBeGreaterThan(from)
        }
        expect(forwards.flatMap((page) => brief(page.records))).toEqual(whole(text))
        const backwards: RecordPage[] = []
        for (let to = entry.sizeBytes; to > 0; to = backwards.at(-1)?.from as number) {
          backwards.push(readTail(source, entry, limit, to))
          expect(backwards.at(-1)?.from).toBeLessThan(to)
        }
        expect(backwards.toReversed().flatMap((page) => brief(page.records))).toEqual(whole(text))
      }),
      { numRuns: 300 },
    )
  })

  test('line numbers are those of the whole in a head, 0 in a tail', () => {
    const { source, entry } = inMemory('{"a":1}\n\n{"b":2}\n')
    expect(readHead(source, entry, ALL).records.map((r) => r.place.line)).toEqual([1, 3])
    expect(readTail(source, entry, ALL).records.map((r) => r.place.line)).toEqual([0, 0])
  })
})

test('an empty log has empty pages', () => {
  const { source, entry } = inMemory('')
  expect(readHead(source, entry, ALL)).toEqual({ records: [], from: 0, to: 0, atStart: true, atEnd: true })
  expect(readTail(source, entry, ALL)).toEqual({ records: [], from: 0, to: 0, atStart: true, atEnd: true })
})

test('as many records as asked for', () => {
  const { source, entry } = inMemory('{"n":0}\n{"n":1}\n{"n":2}\n{"n":3}\n')
  expect(readHead(source, entry, { ...ALL, records: 2 }).records.map((r) => r.raw.n)).toEqual([0, 1])
  expect(readTail(source, entry, { ...ALL, records: 2 }).records.map((r) => r.raw.n)).toEqual([2, 3])
})

describe('a half-written last line is no record', () => {
  const text = '{"a":1}\n{"type":"user","data":{"type":"user"}'

  test('in a head', () => {
    const { source, entry } = inMemory(text)
    expect(readHead(source, entry, ALL).records.map((r) => r.raw)).toEqual([{ a: 1 }])
  })
  test('in a tail', () => {
    const { source, entry } = inMemory(text)
    expect(readTail(source, entry, ALL).records.map((r) => r.raw)).toEqual([{ a: 1 }])
  })

  test('and a whole one without newline is provisional', () => {
    const { source, entry } = inMemory('{"a":1}\n{"b":2}')
    expect(readTail(source, entry, ALL).records.map((r) => r.provisional)).toEqual([undefined, true])
  })
})

describe('a line longer than the limit', () => {
  const long = `{"text":"${'x'.repeat(100_000)}"}`

  test('is in the tail all the same', () => {
    const { source, entry } = inMemory(`{"a":1}\n${long}\n`)
    expect(readTail(source, entry, { records: 10, bytes: 1000 }).records).toHaveLength(1)
  })
  test('is in the head all the same', () => {
    const { source, entry } = inMemory(`${long}\n{"a":1}\n`)
    expect(readHead(source, entry, { records: 10, bytes: 1000 }).records).toHaveLength(1)
  })
})

test('a tail of no records is empty', () => {
  const { source, entry } = inMemory('{"a":1}\n{"b":2}\n')
  expect(readTail(source, entry, { ...ALL, records: 0 }).records).toEqual([])
})
