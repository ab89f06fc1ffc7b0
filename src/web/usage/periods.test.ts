import { expect, test } from 'vitest'
import { barsBetween, periodBefore, yearOf } from './periods.ts'

test('the time before has as many days, and ends the day before', () => {
  expect(periodBefore('2026-11-10', '2026-11-16')).toEqual({ since: '2026-11-03', until: '2026-11-09' })
  expect(periodBefore('2026-03-01', '2026-03-01')).toEqual({ since: '2026-02-28', until: '2026-02-28' })
})

test('there is a bar for every day and week, over the end of a year too', () => {
  expect(barsBetween('day', '2025-12-30', '2026-01-02')).toEqual([
    '2025-12-30',
    '2025-12-31',
    '2026-01-01',
    '2026-01-02',
  ])
  expect(barsBetween('week', '2025-12-24', '2026-01-06')).toEqual(['2025-W52', '2026-W01', '2026-W02'])
  expect(barsBetween('month', '2025-12-24', '2026-01-06').map(yearOf)).toEqual(['2025', '2026'])
})
