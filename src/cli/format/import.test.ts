import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { formatImport } from './import.ts'

const item = {
  file: '/home/ana/Downloads/race.annals.gz',
  session: '3f9a1b2c-0000-4000-8000-000000000001',
  title: 'Fix the race',
  root: '/home/ana/.local/share/annals/imports/0123456789abcdef0123456789abcdef',
  files: 7,
  bytes: 12_000,
  redacted: true,
  state: 'imported',
}

test('says what came, whether its secrets are masked, and where it lies', () => {
  const text = formatImport({ items: [item], total: 1 }, viewOf()).join('\n')
  expect(text).toContain('Imported Fix the race')
  expect(text).toContain('7 files · 12 kB · secrets are masked')
  expect(text).toContain('annals/imports/0123456789abcdef')
  expect(text).toContain('annals show 3f9a1b2c')
})

test('says that nothing was changed where all of it was there', () => {
  const text = formatImport({ items: [{ ...item, files: 0, state: 'present' }], total: 1 }, viewOf()).join('\n')
  expect(text).toContain('Fix the race is there already; nothing was changed.')
  expect(text).not.toContain('7 files')
})

test('a plain log has its id for a name, and no word on secrets', () => {
  const text = formatImport({ items: [{ ...item, title: null, redacted: null }], total: 1 }, viewOf()).join('\n')
  expect(text).toContain('Imported 3f9a1b2c-0000')
  expect(text).not.toContain('secrets')
})
