import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainTime } from './time.ts'

/** The text that the number of a time gives back; the text itself where it is not taken as one. */
function again(text: string): string {
  const ms = plainTime(text)
  return ms === undefined ? text : new Date(ms).toISOString()
}

test('a time as clients write it is taken as a number', () => {
  const dates = fc.date({ min: new Date(0), max: new Date('2400-01-01T00:00:00Z'), noInvalidDate: true })
  fc.assert(
    fc.property(dates, (date) => {
      expect(plainTime(date.toISOString())).toBe(date.getTime())
    }),
  )
})

test('what a number would not give back is not taken', () => {
  const digit = fc.integer({ min: 0, max: 9 })
  fc.assert(
    fc.property(fc.array(digit, { minLength: 17, maxLength: 17 }), (digits) => {
      const d = digits.join('')
      const day = `${d.slice(0, 4)}-${d.slice(4, 6)}-${d.slice(6, 8)}`
      const text = `${day}T${d.slice(8, 10)}:${d.slice(10, 12)}:${d.slice(12, 14)}.${d.slice(14)}Z`
      expect(again(text)).toBe(text)
    }),
    { numRuns: 2000 },
  )
  for (const text of ['2026-02-30T00:00:00.000Z', '2026-02-28T24:00:00.000Z', '2026-11-31T00:00:00.000Z', '', 'now']) {
    expect(plainTime(text)).toBeUndefined()
  }
})
