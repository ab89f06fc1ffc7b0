import { expect, test } from 'vitest'
import { ago, bytes, count, plural, shortPath, tokens, until } from './human.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 kB'],
  [1234, '1.2 kB'],
  [9_949, '9.9 kB'],
  [9_950, '10 kB'],
  [999_499, '999 kB'],
  [999_500, '1 MB'],
  [1_234_567, '1.2 MB'],
  [45_000_000_000, '45 GB'],
  [Number.NaN, '–'],
])('writes %d bytes as %s', (n, expected) => {
  expect(bytes(n)).toBe(expected)
})

// A Friday.
const now = Date.parse('2026-11-13T12:00:00Z')

test.each([
  ['2026-11-13T11:59:30Z', 'just now'],
  ['2026-11-13T12:00:30Z', 'just now'],
  ['2026-11-13T11:55:00Z', '5 min ago'],
  ['2026-11-13T09:00:00Z', '3 h ago'],
  ['2026-11-13T15:00:00Z', 'today'],
  ['2026-11-12T23:59:00Z', 'yesterday'],
  ['2026-11-10T08:00:00Z', 'Tue'],
  ['2026-11-07T08:00:00Z', 'Sat'],
  ['2026-11-06T08:00:00Z', '6 Nov'],
  ['2026-09-03T08:00:00Z', '3 Sep'],
  ['2025-11-03T08:00:00Z', '3 Nov 2025'],
  ['2027-01-02T08:00:00Z', '2 Jan 2027'],
  ['\u001b[31mnot a date', '–'],
])('says when %s was: %s', (iso, expected) => {
  expect(ago(iso, now, 'UTC')).toBe(expected)
})

test('counts days by the calendar of the time zone', () => {
  expect(ago('2026-11-12T23:30:00Z', now, 'Europe/Berlin')).toBe('12 h ago')
  expect(ago('2026-11-12T23:30:00Z', now, 'UTC')).toBe('yesterday')
  expect(ago('2026-11-13T02:00:00Z', now, 'America/New_York')).toBe('yesterday')
})

test('says how long until then, never more than is left', () => {
  expect(until('2026-12-13T11:59:00Z', now)).toBe('in 29 d')
  expect(until('2026-11-14T11:59:00Z', now)).toBe('in 23 h')
  expect(until('2026-11-13T12:05:00Z', now)).toBe('in 5 min')
  expect(until('2026-11-13T12:00:20Z', now)).toBe('now')
  expect(until('2026-11-01T00:00:00Z', now)).toBe('now')
  expect(until('', now)).toBe('–')
})

test('writes numbers', () => {
  expect(count(12345)).toBe('12,345')
  expect(tokens(980)).toBe('980')
  expect(tokens(12_345)).toBe('12.3k')
  expect(tokens(999_950)).toBe('1M')
  expect(tokens(1_234_567)).toBe('1.23M')
  expect(plural(1, 'session')).toBe('1 session')
  expect(plural(1033, 'row')).toBe('1,033 rows')
  expect(plural(2, 'branch', 'branches')).toBe('2 branches')
})

test('shortens a path below the home folder', () => {
  expect(shortPath('/home/ana/api/src', '/home/ana')).toBe('~/api/src')
  expect(shortPath('/home/ana', '/home/ana/')).toBe('~')
  expect(shortPath('/home/anabel/api', '/home/ana')).toBe('/home/anabel/api')
  expect(shortPath('C:\\Users\\ana\\api', 'C:\\Users\\ana')).toBe('~\\api')
  expect(shortPath('/srv/api', undefined)).toBe('/srv/api')
  expect(shortPath('/srv/api', '/')).toBe('/srv/api')
  expect(shortPath('/srv/a\nb\u001b[2J', '/home/ana')).toBe('/srv/a␊b')
})
