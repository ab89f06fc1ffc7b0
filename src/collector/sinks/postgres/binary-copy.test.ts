import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CopyWriter } from './binary-copy.ts'

/** The signature, no flags, no extension: 19 bytes that every copy begins with, and two that end it. */
const BEGIN = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex')
const END = Buffer.from('ffff', 'hex')

/** What a writer sends, as whoever receives it sees it: pieces are copied before more is written. */
function sent(write: (to: CopyWriter, flush: () => void) => void): Buffer {
  const writer = new CopyWriter()
  const pieces: Buffer[] = []
  const keep = (some: Iterable<Buffer>) => {
    for (const one of some) pieces.push(Buffer.from(one))
  }
  write(writer, () => keep(writer.take()))
  keep(writer.finish())
  const all = Buffer.concat(pieces)
  expect(all.subarray(0, BEGIN.length)).toEqual(BEGIN)
  expect(all.subarray(-END.length)).toEqual(END)
  return all.subarray(BEGIN.length, -END.length)
}

const counted = (bytes: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
const asText = (text: string | null) =>
  text === null ? Buffer.from('ffffffff', 'hex') : counted(Buffer.from(text.replaceAll('\0', '\ufffd')))

test('a row is its columns, each with its length', () => {
  const row = sent((to) => {
    to.row(6)
    to.integer(-2)
    to.bigint(2 ** 40 + 1)
    to.boolean(true)
    to.text('añ')
    to.bytes(null)
    to.texts(['x', null])
  })
  const list = '00000001000000010000001900000002000000010000000178ffffffff'
  expect(row.toString('hex')).toBe(
    `0006${'00000004fffffffe'}${'000000080000010000000001'}${'0000000101'}${'0000000361c3b1'}ffffffff${'0000001d'}${list}`,
  )
})

test('times count from 2000, and what is not there is null', () => {
  const day = 86_400_000
  const row = sent((to) => {
    to.date(Date.UTC(2000, 0, 2))
    to.time(Date.UTC(2000, 0, 1) - 1)
    to.time(null)
    to.texts([])
    to.date(Date.UTC(2000, 0, 1) - day)
  })
  expect(row.toString('hex')).toBe(`000000040000000100000008fffffffffffffc18${'ffffffff'.repeat(2)}00000004ffffffff`)
})

test('any text comes out as UTF-8, without NUL and lone surrogates', () => {
  const unit = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom('\0', '\ud800', 'é'),
  )
  const text = fc.oneof(
    fc.array(unit).map((parts) => parts.join('')),
    fc.constant(null),
  )
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const all = sent((to) => {
        for (const one of texts) to.text(one)
      })
      expect(all).toEqual(Buffer.concat(texts.map(asText)))
    }),
  )
})

test('any whole number keeps all its bits', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (number) => {
      const all = sent((to) => to.bigint(number))
      expect([all.readInt32BE(), all.readBigInt64BE(4)]).toEqual([8, BigInt(number)])
    }),
  )
})

test('what is larger than a piece, and what follows it, is sent whole', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 700_000 }), { maxLength: 6 }), (sizes) => {
      const parts = sizes.map((size, at) => Buffer.alloc(size, at + 1))
      const all = sent((to, flush) => {
        for (const one of parts) {
          to.bytes(one)
          flush()
        }
      })
      expect(all.equals(Buffer.concat(parts.map(counted)))).toBe(true)
    }),
    { numRuns: 30 },
  )
})
