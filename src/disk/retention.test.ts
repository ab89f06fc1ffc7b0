import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { expiresAt, readRetention } from './retention.ts'

test.each([
  [{}, 30, null, 0],
  [{ 'settings.json': '{}' }, 30, null, 0],
  [{ 'settings.json': '{"cleanupPeriodDays":90}' }, 90, 'settings.json', 0],
  [
    { 'settings.json': '{"cleanupPeriodDays":90}', 'settings.local.json': '{"cleanupPeriodDays":7}' },
    7,
    'settings.local.json',
    0,
  ],
  [
    { 'settings.local.json': '{"cleanupPeriodDays":7}', 'managed.json': '{"cleanupPeriodDays":365}' },
    365,
    'managed.json',
    0,
  ],
  [
    { 'settings.json': '{"cleanupPeriodDays":90}', 'settings.local.json': '{"cleanupPeriodDays":0}' },
    90,
    'settings.json',
    1,
  ],
  [{ 'settings.json': '{"cleanupPeriodDays":"90"}' }, 30, null, 1],
  [{ 'settings.json': '{"cleanupPeriodDays":1e999}' }, 30, null, 1],
  [{ 'settings.json': '[]' }, 30, null, 0],
  [{ 'settings.json': '' }, 30, null, 1],
  [{ 'settings.json': '{ // comment' }, 30, null, 1],
  [{ 'settings.json': null, 'settings.local.json': '{"cleanupPeriodDays":7}' }, 7, 'settings.local.json', 0],
])('finds the period of %j', (files, days, setIn, warningCount) => {
  withFolder(files, (root) => {
    const retention = readRetention(root, join(root, 'managed.json'))
    expect(retention).toMatchObject({ days, setIn: setIn && join(root, setIn) })
    expect(retention.warnings).toHaveLength(warningCount)
  })
})

test('says when a file expires', () => {
  expect(expiresAt(Date.UTC(2026, 10, 15, 18), 30)).toBe('2026-12-15T18:00:00.000Z')
  expect(expiresAt(0, 1e12)).toBe('9999-12-31T23:59:59.999Z')
})
