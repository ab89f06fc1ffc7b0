import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packColumns, unpackColumns } from './columns.ts'

const column = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 })

test('columns come back as they were, in whatever pieces they were given', () => {
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 8 }), fc.boolean(), (columns, compress) => {
      const packed = Buffer.concat(packColumns(columns, { compress }))
      expect(unpackColumns(packed)).toEqual(columns.map((pieces) => new Uint8Array(Buffer.concat(pieces))))
    }),
  )
})

test('a column that is longer than what is compressed at once', () => {
  const numbers = Float64Array.from({ length: 400_000 }, (_, i) => i / 3)
  const short = Int32Array.of(1, -2, 3)
  const packed = Buffer.concat(packColumns([[short], [numbers.subarray(0, 150_001), numbers.subarray(150_001)], []]))
  const [first, second, none] = unpackColumns(packed) as [Uint8Array, Uint8Array, Uint8Array]
  expect([...new Int32Array(first.buffer)]).toEqual([1, -2, 3])
  expect(new Float64Array(second.buffer)).toEqual(numbers)
  expect(none.length).toBe(0)
})
