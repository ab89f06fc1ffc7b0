import { describe, expect, test } from 'vitest'
import { between, momentOf, untilMoment } from './moment.ts'
import { dayNamed, readPeriod } from './period.ts'

// A Tuesday.
const now = new Date('2026-11-17T15:30:00Z')
const today = '2026-11-17'

describe('a period', () => {
  test.each([
    ['today', '2026-11-17', '2026-11-17'],
    ['yesterday', '2026-11-16', '2026-11-16'],
    ['Monday', '2026-11-16', '2026-11-16'],
    ['tuesday', '2026-11-17', '2026-11-17'],
    ['wednesday', '2026-11-11', '2026-11-11'],
    ['week', '2026-11-16', '2026-11-22'],
    ['last week', '2026-11-09', '2026-11-15'],
    ['last-week', '2026-11-09', '2026-11-15'],
    ['month', '2026-11-01', '2026-11-30'],
    ['last month', '2026-10-01', '2026-10-31'],
    ['2026-02', '2026-02-01', '2026-02-28'],
    ['2028-02', '2028-02-01', '2028-02-29'],
    ['2026-12', '2026-12-01', '2026-12-31'],
    ['2026-11-01', '2026-11-01', '2026-11-01'],
  ])('%s is the days from %s to %s', (text, first, last) => {
    expect(readPeriod(text, now, today)).toEqual({
      first: { isDay: true, text: first },
      last: { isDay: true, text: last },
    })
  })

  test.each([
    ['7d', '2026-11-10T15:30:00.000Z'],
    ['24h', '2026-11-16T15:30:00.000Z'],
    ['90m', '2026-11-17T14:00:00.000Z'],
    ['2w', '2026-11-03T15:30:00.000Z'],
    ['2026-11-01T09:30:00Z', '2026-11-01T09:30:00.000Z'],
    ['2026-11-01T09:30:00+01:00', '2026-11-01T08:30:00.000Z'],
  ])('%s begins at %s', (text, first) => {
    expect(readPeriod(text, now, today).first).toEqual({ isDay: false, text: first })
  })

  test('of months goes back to the same day, or to the last of a shorter month', () => {
    expect(momentOf('1mo', new Date(2026, 10, 17, 15, 30))).toEqual(new Date(2026, 9, 17, 15, 30))
    expect(momentOf('1mo', new Date(2026, 2, 31, 12))).toEqual(new Date(2026, 1, 28, 12))
  })

  test.each([
    '2026-99-99',
    '2026-13-45',
    '2026-02-30',
    '2026-13',
    '2026-02-30T10:00:00Z',
    '2026-11-01T25:00',
    'soon',
    '',
  ])('is not "%s"', (text) => {
    expect(() => readPeriod(text, now, today)).toThrow(`"${text}" is not a time.`)
  })
})

test('since is the start of a period, until its end; a length names the moment so long ago', () => {
  const here = new Date(2026, 10, 17, 15, 30)
  expect(momentOf('last week', here)).toEqual(new Date(2026, 10, 9))
  expect(untilMoment('last week', here)).toEqual(new Date(2026, 10, 16))
  expect(untilMoment('2026-10', here)).toEqual(new Date(2026, 10, 1))
  expect(untilMoment('7d', here)).toEqual(new Date(2026, 10, 10, 15, 30))
  const fits = between({ since: 'yesterday', until: 'yesterday' }, here)
  const times = [
    new Date(2026, 10, 15, 23, 59),
    new Date(2026, 10, 16),
    new Date(2026, 10, 16, 23, 59),
    new Date(2026, 10, 17),
  ]
  expect(times.map((time) => fits(time.toISOString()))).toEqual([false, true, true, false])
})

test('a day can be named by words, and one that there is not is refused', () => {
  expect(dayNamed('2026-11-11', now, today)).toBe('2026-11-11')
  expect(dayNamed('yesterday', now, today)).toBe('2026-11-16')
  expect(dayNamed('week', now, today)).toBeUndefined()
  expect(dayNamed('3f9a', now, today)).toBeUndefined()
  expect(() => dayNamed('2026-13-45', now, today)).toThrow('"2026-13-45" is not a time.')
})
