import { describe, expect, test } from 'vitest'
import { blocksOf, inPeriod, mondayOf, openCalendar, weekOf } from './calendar.ts'

const now = new Date('2026-11-15T12:00:00Z')

describe('days', () => {
  test.each([
    // Summer time ends in Berlin on 25 October 2026 at 01:00 UTC: that day has 25 hours.
    ['Europe/Berlin', '2026-10-24T21:59:59.999Z', '2026-10-24'],
    ['Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25'],
    ['Europe/Berlin', '2026-10-25T22:59:59.999Z', '2026-10-25'],
    ['Europe/Berlin', '2026-10-25T23:00:00.000Z', '2026-10-26'],
    // It begins on 29 March 2026: that day has 23.
    ['Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T21:59:59.999Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00.000Z', '2026-03-30'],
    ['UTC', '2026-12-31T23:59:59.999Z', '2026-12-31'],
    ['America/Los_Angeles', '2027-01-01T07:59:59.999Z', '2026-12-31'],
    ['Asia/Kathmandu', '2026-11-14T18:14:59.999Z', '2026-11-14'],
    ['Asia/Kathmandu', '2026-11-14T18:15:00.000Z', '2026-11-15'],
    ['Pacific/Kiritimati', '2026-11-14T10:00:00.000Z', '2026-11-15'],
  ])('in %s %s is %s', (zone, iso, day) => {
    expect(openCalendar(zone).day(iso)).toBe(day)
  })

  test('of a time that is none are none', () => {
    expect(openCalendar('UTC').day('')).toBe('')
    expect(openCalendar('UTC').week('soon')).toBe('')
  })

  test('need a zone that there is', () => {
    expect(() => openCalendar('Mars/Olympus')).toThrow('"Mars/Olympus" is not a time zone.')
  })
})

describe('weeks and months', () => {
  test.each([
    ['2026-11-09', '2026-W46'],
    ['2026-11-15', '2026-W46'],
    ['2026-11-16', '2026-W47'],
    ['2026-01-01', '2026-W01'],
    ['2025-12-29', '2026-W01'],
    ['2027-01-03', '2026-W53'],
    ['2027-01-04', '2027-W01'],
    ['2024-12-30', '2025-W01'],
  ])('%s is in %s', (day, week) => {
    expect(weekOf(day)).toBe(week)
  })

  test('begin on Monday', () => {
    expect(mondayOf('2026-11-15')).toBe('2026-11-09')
    expect(mondayOf('2026-11-09')).toBe('2026-11-09')
    expect(mondayOf('2026-03-01')).toBe('2026-02-23')
  })

  test('follow the zone', () => {
    const iso = '2026-10-31T23:30:00.000Z'
    expect(openCalendar('UTC').month(iso)).toBe('2026-10')
    expect(openCalendar('Europe/Berlin').month(iso)).toBe('2026-11')
  })
})

describe('a period', () => {
  const berlin = openCalendar('Europe/Berlin')

  test('of days begins and ends where the zone says', () => {
    const fits = inPeriod({ since: '2026-10-25', until: '2026-10-25' }, berlin, now)
    const times = ['24T21:59:59', '24T22:00:00', '25T22:59:59', '25T23:00:00'].map((time) => `2026-10-${time}.000Z`)
    expect(times.map(fits)).toEqual([false, true, true, false])
  })

  test('of moments includes its beginning and not its end', () => {
    const fits = inPeriod({ since: '24h', until: '2026-11-15T06:00:00Z' }, berlin, now)
    expect(fits('2026-11-14T12:00:00.000Z')).toBe(true)
    expect(fits('2026-11-14T11:59:59.999Z')).toBe(false)
    expect(fits('2026-11-15T06:00:00.000Z')).toBe(false)
  })

  test('holds nothing that has no time, unless it is open', () => {
    expect(inPeriod({}, berlin, now)('')).toBe(true)
    expect(inPeriod({ since: '7d' }, berlin, now)('')).toBe(false)
    expect(inPeriod({ until: '2026-11-15' }, berlin, now)('')).toBe(false)
  })
})

describe('blocks of five hours', () => {
  test('begin at the hour of their first response', () => {
    const times = ['09:47:00', '13:10:00', '13:59:59', '14:00:00', '18:59:00', '23:30:00']
    expect(blocksOf(times.map((time) => `2026-11-15T${time}.000Z`))).toEqual([
      '2026-11-15T09:00:00.000Z',
      '2026-11-15T09:00:00.000Z',
      '2026-11-15T09:00:00.000Z',
      '2026-11-15T14:00:00.000Z',
      '2026-11-15T14:00:00.000Z',
      '2026-11-15T23:00:00.000Z',
    ])
  })

  test('run on through the change of the clocks', () => {
    const times = ['2026-10-25T00:30:00.000Z', '2026-10-25T04:59:00.000Z', '2026-10-25T05:00:00.000Z']
    const [first, second, third] = blocksOf(times)
    expect([first, second, third]).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T05:00:00.000Z',
    ])
  })
})
