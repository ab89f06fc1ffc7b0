import { expect, test } from 'vitest'
import { addDays, mondayOf, mondayOfWeek, weekOf } from './days.ts'
import { barName, barsBetween, barTitle, boundsOf } from './usage/periods.ts'

test('days are added over the ends of months and years', () => {
  expect(addDays('2026-02-28', 1)).toBe('2026-03-01')
  expect(addDays('2026-01-01', -1)).toBe('2025-12-31')
})

test('weeks begin on Monday, and belong to the year of their Thursday', () => {
  expect(mondayOf('2026-11-15')).toBe('2026-11-09')
  expect(weekOf('2026-11-15')).toBe('2026-W46')
  expect(weekOf('2027-01-03')).toBe('2026-W53')
  expect(weekOf('2024-12-30')).toBe('2025-W01')
  expect(mondayOfWeek('2026-W46')).toBe('2026-11-09')
  expect(mondayOfWeek('2025-W01')).toBe('2024-12-30')
})

test('bars stand for all days between, also those without anything', () => {
  expect(barsBetween('day', '2026-11-14', '2026-11-16')).toEqual(['2026-11-14', '2026-11-15', '2026-11-16'])
  expect(barsBetween('week', '2026-11-15', '2026-11-16')).toEqual(['2026-W46', '2026-W47'])
  expect(barsBetween('month', '2026-01-31', '2026-03-01')).toEqual(['2026-01', '2026-02', '2026-03'])
})

test('a bar knows its first and last day', () => {
  expect(boundsOf('day', '2026-11-15')).toEqual({ since: '2026-11-15', until: '2026-11-15' })
  expect(boundsOf('week', '2026-W46')).toEqual({ since: '2026-11-09', until: '2026-11-15' })
  expect(boundsOf('month', '2026-02')).toEqual({ since: '2026-02-01', until: '2026-02-28' })
})

test('a bar is called as people call it', () => {
  expect(barName('day', '2026-11-11')).toBe('Nov 11')
  expect(barTitle('day', '2026-11-11')).toBe('Wed, Nov 11, 2026')
  expect(barTitle('week', '2026-W46')).toBe('week of Nov 9, 2026')
  expect(barTitle('month', '2026-11')).toBe('November 2026')
  expect(barTitle('day', 'no time')).toBe('no time')
})
