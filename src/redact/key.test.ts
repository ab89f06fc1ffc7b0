import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadRedactionKey } from './key.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-key-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const modeOf = (path: string) => statSync(path).mode & 0o777

test('makes a key once, for its owner alone, whatever the umask', () => {
  const before = process.umask(0)
  try {
    const dataDir = join(folder, 'new', 'data')
    const key = loadRedactionKey(dataDir)
    expect(key).toHaveLength(32)
    expect(modeOf(dataDir)).toBe(0o700)
    expect(modeOf(join(dataDir, 'redaction.key'))).toBe(0o600)
    expect(readdirSync(dataDir)).toEqual(['redaction.key'])
    expect([...loadRedactionKey(dataDir)]).toEqual([...key])
  } finally {
    process.umask(before)
  }
})

test('narrows a key that others can read', () => {
  loadRedactionKey(folder)
  chmodSync(join(folder, 'redaction.key'), 0o644)
  loadRedactionKey(folder)
  expect(modeOf(join(folder, 'redaction.key'))).toBe(0o600)
})

test('keeps the key that somebody else made in the same moment', () => {
  // The other one wins between our look and our link.
  const other = Buffer.alloc(32, 7)
  const script = `require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'redaction.key'))}, Buffer.alloc(32, 7))`
  execFileSync(process.execPath, ['-e', script])
  expect([...loadRedactionKey(folder)]).toEqual([...other])
})

test.each([
  ['is damaged', (path: string) => writeFileSync(path, 'short')],
  ['is a link', (path: string) => symlinkSync('/etc/hostname', path)],
])('says so when it %s', (_, make) => {
  const path = join(folder, 'redaction.key')
  make(path)
  expect(() => loadRedactionKey(folder)).toThrow(/^The redaction key .*redaction\.key /)
  expect(readFileSync(path).length).not.toBe(32)
})
