import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainTime } from './time.ts'

const giveBack = (text: string) => {
  const ms = plainTime(text)
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

test('a time that is taken as a number gives back the same text', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('2400-01-01T00:00:00Z'), noInvalidDate: true }), (date) => {
      expect(giveBack(date.toISOString())).toBe(date.toISOString())
    }),
  )
})

test('what is written otherwise is not taken, or is the same text all the same', () => {
  const digits = fc.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const odd = ['2026-02-30T00:00:00.000Z', '2026-02-28T24:00:00.000Z', '2026-13-01T00:00:00.000Z', '', 'yesterday']
  for (const text of odd) expect([undefined, text]).toContain(giveBack(text))
  fc.assert(
    fc.property(digits, (text) => expect([undefined, text]).toContain(giveBack(text))),
    { numRuns: 2000 },
  )
})
