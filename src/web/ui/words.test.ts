import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ageText,
  axisMoneyText,
  bytesText,
  daysBetween,
  momentText,
  moneyText,
  plural,
  shareText,
  spanText,
  tokensText,
} from './words.ts'

const now = new Date(2026, 10, 15, 15, 0).getTime()
const ago = (ms: number) => now - ms
const MINUTE = 60_000
const HOUR = 60 * MINUTE

test('ages are said as people say them', () => {
  expect(ageText(ago(20_000), now)).toBe('just now')
  expect(ageText(ago(12 * MINUTE), now)).toBe('12 min ago')
  expect(ageText(ago(3 * HOUR), now)).toBe('3 h ago')
  expect(ageText(ago(14 * HOUR), now)).toBe('today')
  expect(ageText(ago(24 * HOUR), now)).toBe('yesterday')
  expect(ageText(ago(4 * 24 * HOUR), now)).toBe('Wed')
  expect(ageText(new Date(2026, 9, 2).getTime(), now)).toBe('Oct 2')
  expect(ageText(new Date(2025, 9, 2).getTime(), now)).toBe('Oct 2, 2025')
})

test('moments have a clock, and a day where it is another', () => {
  expect(momentText(new Date(2026, 10, 15, 9, 5).getTime(), now)).toBe('09:05')
  expect(momentText(new Date(2026, 10, 11, 9, 5).getTime(), now)).toBe('Nov 11, 09:05')
})

test('days are counted by midnights', () => {
  expect(daysBetween(new Date(2026, 10, 14, 23, 59).getTime(), now)).toBe(1)
  expect(daysBetween(new Date(2026, 10, 15, 0, 1).getTime(), now)).toBe(0)
})

test('a span is said as on the command line', () => {
  expect(spanText(30_800)).toBe('31 s')
  expect(spanText(2 * HOUR + 5 * MINUTE)).toBe('2 h 5 min')
  expect(spanText(null)).toBe('–')
})

test('money is never zero where it is not known', () => {
  expect(moneyText(null)).toBe('–')
  expect(moneyText(0)).toBe('$0.00')
  expect(moneyText(0.001)).toBe('<$0.01')
  expect(moneyText(4.118)).toBe('$4.12')
  expect(moneyText(1204.4)).toBe('$1,204')
})

test('figures are shortened', () => {
  expect(tokensText(950)).toBe('950')
  expect(tokensText(12_345)).toBe('12.3k')
  expect(tokensText(4_100_000)).toBe('4.1M')
  expect(bytesText(950)).toBe('950 B')
  expect(bytesText(4_100_000)).toBe('4.1 MB')
  expect(plural(1, 'session')).toBe('1 session')
  expect(plural(1212, 'session')).toBe('1,212 sessions')
  expect(shareText(61, 100)).toBe('61 %')
  expect(shareText(1, 1000)).toBe('<1 %')
  expect(shareText(1, 0)).toBe('–')
})

test('numbers are shortened as the browser shortens them', () => {
  const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
  const axis = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 3 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 1, max: 9999 }), (tokens, mills) => {
      expect(tokensText(tokens)).toBe(compact.format(tokens).replace('K', 'k'))
      expect(axisMoneyText(mills / 1000)).toBe(`$${axis.format(mills / 1000)}`)
    }),
    {
      examples: [
        [999_949, 5],
        [999_950, 1],
        [1150, 10],
        [999, 100],
        [1000, 9999],
      ],
    },
  )
})
