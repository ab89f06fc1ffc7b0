import { expect, test } from 'vitest'
import type { Place } from '../core/log/place.ts'
import { recordReader } from './record-reader.ts'
import type { Source, SourceEntry } from './source.ts'

const entry: SourceEntry = { root: '/r', path: '/r/projects/p/s.jsonl', sizeBytes: 0, modifiedAt: 0, inode: '1' }

/** A log in memory, and how often it was read. */
function logOf(lines: readonly string[]) {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  let reads = 0
  const read: Source['read'] = (_, offset, into) => {
    reads += 1
    return bytes.copy(into, 0, offset)
  }
  let offset = 0
  const places = lines.map((text, at): Place => {
    const place = { file: entry.path, line: at + 1, offset, length: Buffer.byteLength(text) }
    offset += place.length + 1
    return place
  })
  return { source: { list: () => [entry], read }, places, reads: () => reads }
}

const line = (number: number, length = 0) => JSON.stringify({ type: 'user', number, text: 'é'.repeat(length) })

test('rows are read by their places in any order, those that stand together at once', () => {
  const lines = Array.from({ length: 200 }, (_, number) => line(number, 100))
  const { source, places, reads } = logOf(lines)
  const recordAt = recordReader(source, entry)
  for (const [number, place] of places.entries()) expect(recordAt(place)?.raw).toMatchObject({ number })
  expect(reads()).toBeLessThan(10)
  for (const [number, place] of [...places.entries()].reverse()) expect(recordAt(place)?.raw).toMatchObject({ number })
})

test('a row that is longer than what is read at a time is read whole', () => {
  const { source, places } = logOf([line(0), line(1, 100_000), line(2)])
  const recordAt = recordReader(source, entry)
  const told = [0, 1, 2, 0].map((at) => recordAt(places[at] as Place)?.raw)
  expect(told).toMatchObject([{ number: 0 }, { number: 1, text: 'é'.repeat(100_000) }, { number: 2 }, { number: 0 }])
})

test('where there is no such row any more, there is none', () => {
  const { source, places } = logOf([line(0), line(1)])
  const [first, second] = places as [Place, Place]
  const recordAt = recordReader(source, entry)
  expect(recordAt({ ...second, length: second.length + 50 })).toBeUndefined()
  expect(recordAt({ ...first, length: first.length - 1 })).toBeUndefined()
  expect(recordReader({ ...source, read: () => undefined }, entry)(first)).toBeUndefined()
})
