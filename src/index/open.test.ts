import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { diskSource } from '../disk/disk-source.ts'
import { log } from '../testing/index.ts'
import { ingestFacts } from './ingest.ts'
import { ingestTexts } from './ingest-text.ts'
import { indexName, openIndex, openToRead } from './open.ts'
import { SCHEMA } from './schema.ts'
import { searchDocs } from './search/search.ts'
import { sqliteVersion } from './sqlite.ts'

let folder = ''
const root = () => join(folder, 'root')
const state = () => join(folder, 'state')
const path = () => join(state(), indexName([root()]))

/** An index as it is opened now, brought up to date. */
function open() {
  const { database, notice } = openIndex(state(), [root()])
  ingestFacts(database, diskSource([root()]))
  const { filesRead } = ingestTexts(database, diskSource([root()]))
  const { total, found } = searchDocs(database, { match: '"walnut"' }, {}, { sort: 'time', limit: 10 })
  database.close()
  return { filesRead, notice, total, states: found.map(({ log }) => log.state) }
}

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
    open()
    expect(statSync(state()).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(state())) expect(statSync(join(state(), name)).mode & 0o777, name).toBe(0o600)
  } finally {
    process.umask(before)
  }
})

test('what is known is not read again, and an index that is deleted comes back', () => {
  expect(open()).toMatchObject({ filesRead: 1, total: 1 })
  expect(open()).toMatchObject({ filesRead: 0, total: 1 })
  rmSync(state(), { recursive: true })
  expect(open()).toMatchObject({ filesRead: 1, total: 1 })
})

describe('a damaged index is moved aside and built anew', () => {
  const damages: readonly (readonly [string, (bytes: Buffer) => Uint8Array])[] = [
    ['a text file', () => Buffer.from('not a database at all, but quite long enough to look at'.repeat(100))],
    ['a broken header', (bytes) => Buffer.concat([Buffer.alloc(100), bytes.subarray(100)])],
    ['cut in half', (bytes) => bytes.subarray(0, bytes.length >> 1)],
  ]
  test.each(damages)('%s', (_, damage) => {
    open()
    writeFileSync(path(), damage(readFileSync(path())))
    // What a write-ahead log still holds would mend the damage.
    for (const tail of ['-wal', '-shm']) rmSync(path() + tail, { force: true })
    const { notice, total } = open()
    expect(total).toBe(1)
    expect(notice).toContain('damaged')
    expect(readdirSync(state()).some((name) => name.includes('damaged'))).toBe(true)
  })
})

test('an empty index file is simply filled', () => {
  mkdirSync(state(), { recursive: true })
  writeFileSync(path(), '')
  expect(open().total).toBe(1)
})

test('where the folder cannot be made, the index lives in memory and says so', () => {
  writeFileSync(state(), 'a file where the folder should be')
  chmodSync(state(), 0o400)
  expect(open()).toMatchObject({ total: 1, notice: expect.stringContaining('memory') })
  expect(existsSync(path())).toBe(false)
})

test('rows of a vanished log are still found', () => {
  open()
  rmSync(join(root(), 'projects'), { recursive: true })
  mkdirSync(join(root(), 'projects'))
  expect(open()).toMatchObject({ total: 1, states: ['lost'] })
})

test('indexes of other forms are removed, those of other roots are not', () => {
  mkdirSync(state(), { recursive: true })
  const old = ['index-3.db', 'index-6.db', 'index-6.db-wal', 'index-6-0123456789ab.db', 'index-4.db.damaged-2026']
  const others = [`index-${SCHEMA}-0123456789ab.db`, 'facts-1.db', 'redaction.key']
  for (const name of [...old, ...others]) writeFileSync(join(state(), name), '')
  open()
  const left = readdirSync(state()).filter((name) => !name.startsWith(indexName([root()])))
  expect(left.sort()).toEqual(others.sort())
})

describe('an index whose roots are gone', () => {
  const days = (count: number) => new Date(Date.now() - count * 86_400_000)
  const other = () => join(folder, 'other')
  const others = () => join(state(), indexName([other()]))
  beforeEach(() => {
    mkdirSync(other())
    openIndex(state(), [other()]).database.close()
    open()
    rmSync(other(), { recursive: true })
  })

  test.each([
    [31, 2, false],
    [29, 2, true],
    [31, 0, true],
  ])('unused for %i days, by one that was opened %i days ago: kept is %s', (unused, ago, isKept) => {
    utimesSync(others(), days(unused), days(unused))
    utimesSync(path(), days(ago), days(ago))
    open()
    expect(existsSync(others())).toBe(isKept)
  })

  test('is kept while one of them is there', () => {
    mkdirSync(other())
    utimesSync(others(), days(31), days(31))
    utimesSync(path(), days(2), days(2))
    open()
    expect(existsSync(others())).toBe(true)
  })

  test('is used by opening it', () => {
    utimesSync(others(), days(31), days(31))
    openIndex(state(), [other()]).database.close()
    utimesSync(path(), days(2), days(2))
    open()
    expect(existsSync(others())).toBe(true)
  })
})

test('stops when its time is over, says what is left, and goes on later', () => {
  for (let i = 0; i < 5; i++) {
    log({ seed: `more ${i}` })
      .user(`walnut ${i}`)
      .assistant('x')
      .write(root())
  }
  const { database } = openIndex(state(), [root()])
  ingestFacts(database, diskSource([root()]))
  const first = ingestTexts(database, diskSource([root()]), { withinMs: -1 })
  expect(first).toMatchObject({ filesRead: 0, bytesRead: 0 })
  expect(first.behindBytes).toBeGreaterThan(0)
  expect(ingestTexts(database, diskSource([root()])).behindBytes).toBe(0)
  database.close()
  expect(open()).toMatchObject({ filesRead: 0, total: 6 })
})

test('opened to be read, it knows what is written later, and writes nothing', () => {
  expect(() => openToRead(state(), [root()])).toThrow(expect.objectContaining({ code: 'CANNOT_WRITE' }))
  const { database: writer } = openIndex(state(), [root()])
  const { database: reader } = openToRead(state(), [root()])
  const count = () => reader.prepare('select count(*) as count from log').get()?.count
  const before = count()
  log({ seed: 'later' }).user('later').write(root())
  ingestFacts(writer, diskSource([root()]))
  expect(Number(count())).toBeGreaterThan(Number(before))
  expect(() => reader.exec('delete from log')).toThrow(/readonly/)
  for (const one of [reader, writer]) one.close()
})
