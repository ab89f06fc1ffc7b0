import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sqliteVersion } from '../index/driver.ts'
import { log } from '../testing/index.ts'
import { SCHEMA } from './schema.ts'
import { Store } from './store.ts'

let folder = ''
const root = () => join(folder, 'root')
const state = () => join(folder, 'state')
const open = (warnings: string[] = []) =>
  new Store({ roots: [root()], folder: state(), onWarning: ({ message }) => warnings.push(message) })
const hits = (store: Store, word: string) => store.search(`"${word}"`, {}, { sort: 'time', limit: 10 }).total

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-store-'))
  log({ seed: 'one' }).user('find the walnut').assistant('here it is').write(root())
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('SQLite is new enough for several writers', () => {
  const [major, minor, patch] = sqliteVersion().split('.').map(Number)
  expect((major as number) * 1e6 + (minor as number) * 1e3 + (patch as number)).toBeGreaterThanOrEqual(3_051_003)
})

test('the index is closed to others, whatever the umask', () => {
  const before = process.umask(0)
  try {
    const store = open()
    store.update()
    expect(statSync(state()).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(state())) expect(statSync(join(state(), name)).mode & 0o777, name).toBe(0o600)
    store.close()
  } finally {
    process.umask(before)
  }
})

test('an index that is deleted comes back', () => {
  const store = open()
  store.update()
  store.close()
  rmSync(state(), { recursive: true })
  const again = open()
  expect(again.update().filesRead).toBe(1)
  expect(hits(again, 'walnut')).toBe(1)
  again.close()
})

describe('a damaged index is moved aside and built anew', () => {
  const damages: readonly (readonly [string, (bytes: Buffer) => Uint8Array])[] = [
    ['a text file', () => Buffer.from('not a database at all, but quite long enough to look at'.repeat(100))],
    ['a broken header', (bytes) => Buffer.concat([Buffer.alloc(100), bytes.subarray(100)])],
    ['cut in half', (bytes) => bytes.subarray(0, bytes.length >> 1)],
  ]
  test.each(damages)('%s', (_, damage) => {
    const store = open()
    store.update()
    store.close()
    const path = join(state(), `index-${SCHEMA}.db`)
    writeFileSync(path, damage(readFileSync(path)))
    // What a write-ahead log still holds would mend the damage.
    for (const tail of ['-wal', '-shm']) rmSync(path + tail, { force: true })
    const warnings: string[] = []
    const again = open(warnings)
    again.update()
    expect(hits(again, 'walnut')).toBe(1)
    again.close()
    expect(warnings.join()).toContain('damaged')
    expect(readdirSync(state()).some((name) => name.includes('damaged'))).toBe(true)
  })
})

test('an empty index file is simply filled', () => {
  mkdirSync(state(), { recursive: true })
  writeFileSync(join(state(), `index-${SCHEMA}.db`), '')
  const store = open()
  store.update()
  expect(hits(store, 'walnut')).toBe(1)
  store.close()
})

test('where the folder cannot be made, the index lives in memory and says so', () => {
  writeFileSync(join(folder, 'state'), 'a file where the folder should be')
  chmodSync(join(folder, 'state'), 0o400)
  const warnings: string[] = []
  const store = open(warnings)
  store.update()
  expect(hits(store, 'walnut')).toBe(1)
  store.close()
  expect(warnings.join()).toContain('memory')
  expect(existsSync(join(folder, 'state', `index-${SCHEMA}.db`))).toBe(false)
})

test('an update with nothing new reads nothing', () => {
  const store = open()
  expect(store.update()).toMatchObject({ filesSeen: 1, filesRead: 1, behindBytes: 0 })
  expect(store.update()).toMatchObject({ filesSeen: 1, filesRead: 0, bytesRead: 0, behindBytes: 0 })
  store.close()
})

test('rows of a vanished log stay until a rebuild, which says so', () => {
  const store = open()
  store.update()
  rmSync(join(root(), 'projects'), { recursive: true })
  mkdirSync(join(root(), 'projects'))
  store.update()
  expect(hits(store, 'walnut')).toBe(1)
  expect(store.search('"walnut"', {}, { sort: 'time', limit: 1 }).found[0]?.isGone).toBe(true)
  expect(store.rebuild().forgotten).toBe(1)
  store.update()
  expect(hits(store, 'walnut')).toBe(0)
  store.close()
})

test('stops when its time is over, says what is left, and goes on later', () => {
  for (let i = 0; i < 5; i++)
    log({ seed: `more ${i}` })
      .user(`walnut ${i}`)
      .assistant('x')
      .write(root())
  const store = open()
  const first = store.update({ withinMs: -1 })
  expect(first).toMatchObject({ filesRead: 0, bytesRead: 0 })
  expect(first.behindBytes).toBeGreaterThan(0)
  expect(store.update().behindBytes).toBe(0)
  expect(hits(store, 'walnut')).toBe(6)
  store.close()
})
