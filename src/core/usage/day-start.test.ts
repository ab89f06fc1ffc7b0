import { expect, test } from 'vitest'
import { openCalendar } from './calendar.ts'
import { dayEnd, dayStart, nextDay } from './day-start.ts'

test.each([
  ['UTC', '2026-11-15', '2026-11-15T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
  ['Europe/Berlin', '2026-11-15', '2026-11-14T23:00:00.000Z', '2026-11-15T23:00:00.000Z'],
  // The clocks go back: 25 hours.
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ['Asia/Kathmandu', '2026-11-15', '2026-11-14T18:15:00.000Z', '2026-11-15T18:15:00.000Z'],
  ['Pacific/Kiritimati', '2026-11-15', '2026-11-14T10:00:00.000Z', '2026-11-15T10:00:00.000Z'],
])('in %s, %s', (zone, day, start, end) => {
  const calendar = openCalendar(zone)
  expect(new Date(dayStart(day, calendar)).toISOString()).toBe(start)
  expect(new Date(dayEnd(day, calendar)).toISOString()).toBe(end)
})

test('days go on over months and years', () => {
  expect(nextDay('2026-12-31', 1)).toBe('2027-01-01')
  expect(nextDay('2026-03-01', -1)).toBe('2026-02-28')
})
