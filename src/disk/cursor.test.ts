import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseJson } from '../core/json.ts'
import { advance, type Cursor, type LookOptions, look, readCursor, startCursor, UNSUMMED } from './cursor.ts'
import { type DiskSource, diskSource } from './disk-source.ts'
import type { Source } from './source.ts'
import { lookAll } from './survey.ts'

let root = ''
let disk: DiskSource
let cursors: readonly Cursor[] = []
/** Reads of the source, to see whether a look read at all. */
let reads = 0
let source: Source

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'annals-cursor-')))
  mkdirSync(join(root, 'projects/-a'), { recursive: true })
  mkdirSync(join(root, 'projects/-b'))
  disk = diskSource([root])
  source = {
    list: () => disk.list(),
    read: (entry, offset, into) => {
      reads++
      return disk.read(entry, offset, into)
    },
  }
  cursors = []
  // A younger file, so that the times of the others are settled.
  put('-a/other.jsonl', 'other\n', 5_000)
})

afterEach(() => {
  disk.close()
  rmSync(root, { recursive: true, force: true })
})

/** Seconds after an early hour: tests set every time themselves. */
function put(name: string, text: string, seconds: number): void {
  writeFileSync(at(name), text)
  touch(name, seconds)
}

function touch(name: string, seconds: number): void {
  utimesSync(at(name), 1_700_000_000 + seconds, 1_700_000_000 + seconds)
}

function at(name: string): string {
  return join(root, 'projects', name)
}

/** One pass: looks at all files and takes all their whole lines. Gives what the looks said and what was taken. */
function pass(options?: LookOptions): Record<string, unknown> {
  const { looks, gone } = lookAll(cursors, source, options)
  const told: Record<string, unknown> = {}
  const next: Cursor[] = [...gone]
  for (const cursor of gone) told[cursor.path.slice(at('/').length)] = 'gone'
  for (const [path, sighting] of looks) {
    const { entry, cursor } = sighting
    const bytes = readFileSync(path).subarray(cursor.offset)
    const taken = bytes.subarray(0, bytes.lastIndexOf(10) + 1)
    const lines = taken.filter((byte) => byte === 10).length
    const progress = { offset: cursor.offset + taken.length, line: cursor.line + lines }
    next.push(lines === 0 ? cursor : advance(cursor, source, entry, progress))
    const { kind, ...more } = sighting.look
    if (kind === 'same') continue
    told[path.slice(at('/').length)] = { kind, ...more, generation: cursor.generation, taken: taken.toString() }
  }
  cursors = next
  reads = 0
  return told
}

const line = (text: string, length = 20) => `${text.padEnd(length - 1, '.')}\n`
const long = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => line(`${name} ${i}`, 100)).join('')

describe('lookAll', () => {
  test('T7: a file truncated and written anew below the offset is a new generation, told once', () => {
    put('-a/s.jsonl', long('old', 50), 1)
    pass()
    truncateSync(at('-a/s.jsonl'), 0)
    expect(pass()).toEqual({ '-a/s.jsonl': { kind: 'new-generation', reason: 'truncated', generation: 2, taken: '' } })
    expect(pass()).toEqual({})
    appendFileSync(at('-a/s.jsonl'), 'new\n')
    expect(pass()).toEqual({ '-a/s.jsonl': { kind: 'grown', from: 0, generation: 2, taken: 'new\n' } })
  })

  test('T8: a file rewritten beyond the offset with an equal head is a new generation', () => {
    const head = long('head', 20)
    put('-a/s.jsonl', head + long('old', 100), 1)
    pass()
    put('-a/s.jsonl', head + long('new', 200), 2)
    expect(pass()).toEqual({
      '-a/s.jsonl': {
        kind: 'new-generation',
        reason: 'rewritten',
        generation: 2,
        taken: head + long('new', 200),
      },
    })
  })

  describe('a log whose bytes nobody added up', () => {
    /** Takes all lines, and leaves the sum out. */
    const takeUnsummed = () => {
      put('-a/s.jsonl', long('row', 200), 1)
      pass()
      cursors = cursors.map((cursor) =>
        cursor.path === at('-a/s.jsonl') ? { ...cursor, prefixSum: UNSUMMED } : cursor,
      )
    }

    test('is the same while nothing changes, and grows by what is appended', () => {
      takeUnsummed()
      expect(pass()).toEqual({})
      appendFileSync(at('-a/s.jsonl'), 'more\n')
      expect(pass()).toEqual({ '-a/s.jsonl': { kind: 'grown', from: 20_000, generation: 1, taken: 'more\n' } })
      expect(cursors.find(({ path }) => path === at('-a/s.jsonl'))?.prefixSum).toBe(UNSUMMED)
    })

    test('is the same where it has moved', () => {
      takeUnsummed()
      renameSync(at('-a/s.jsonl'), at('-b/s.jsonl'))
      expect(pass()).toMatchObject({ '-b/s.jsonl': { kind: 'moved', generation: 1, taken: '' } })
    })

    test.each(['flipped', 'touched'])('is read again where it was %s', (how) => {
      takeUnsummed()
      const bytes = Buffer.from(long('row', 200))
      if (how === 'flipped') bytes[10_000] = 0x58
      put('-a/s.jsonl', bytes.toString(), 2)
      expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'new-generation', taken: bytes.toString() } })
    })
  })

  test.each([0, 1023, 1024, 10_000, 15_903, 15_904, 19_998])(
    'T9: a byte flipped in place at %i of 20,000 is found',
    (place) => {
      const bytes = Buffer.from(long('row', 200))
      put('-a/s.jsonl', bytes.toString(), 1)
      pass()
      bytes[place] = 0x58
      put('-a/s.jsonl', bytes.toString(), 2)
      expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'new-generation', reason: 'rewritten', generation: 2 } })
    },
  )

  test('T9: a flipped byte far from both windows, and then an append, is found by a thorough look', () => {
    const bytes = Buffer.from(long('row', 200))
    put('-a/s.jsonl', bytes.toString(), 1)
    pass()
    bytes[10_000] = 0x58
    put('-a/s.jsonl', `${bytes}more\n`, 2)
    expect(pass({ thorough: true })).toMatchObject({ '-a/s.jsonl': { kind: 'new-generation', reason: 'rewritten' } })
  })

  test('T9: a flipped byte in the head, and then an append, is found', () => {
    const bytes = Buffer.from(long('row', 200))
    put('-a/s.jsonl', bytes.toString(), 1)
    pass()
    bytes[1000] = 0x58
    put('-a/s.jsonl', `${bytes}more\n`, 2)
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'new-generation', reason: 'rewritten' } })
  })

  test('T9: a flipped byte anywhere in a longer file that took the place of the old one is found', () => {
    const bytes = Buffer.from(long('row', 200))
    put('-a/s.jsonl', bytes.toString(), 1)
    pass()
    bytes[10_000] = 0x58
    put('-a/s.tmp', `${bytes}more\n`, 2)
    renameSync(at('-a/s.tmp'), at('-a/s.jsonl'))
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'new-generation', reason: 'replaced' } })
  })

  test('T9: a longer line in the middle is found', () => {
    put('-a/s.jsonl', long('row', 100) + long('end', 100), 1)
    pass()
    put('-a/s.jsonl', `${long('row', 100)}inserted\n${long('end', 100)}`, 2)
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'new-generation', reason: 'rewritten' } })
  })

  test('T10: a transcript overwritten by an empty session is a new generation', () => {
    put('-a/s.jsonl', long('old', 50), 1)
    pass()
    put('-a/s.jsonl', 'blank\n', 2)
    expect(pass()).toEqual({
      '-a/s.jsonl': { kind: 'new-generation', reason: 'truncated', generation: 2, taken: 'blank\n' },
    })
  })

  test('T11: another file in a reused inode is a new file', () => {
    put('-a/s.jsonl', long('old', 50), 1)
    pass()
    const inode = cursors.find((cursor) => cursor.path === at('-a/s.jsonl'))?.inode ?? ''
    rmSync(at('-a/s.jsonl'))
    put('-a/t.jsonl', long('new', 50), 2)
    const list = source.list
    source.list = () => Array.from(list(), (entry) => (entry.path === at('-a/t.jsonl') ? { ...entry, inode } : entry))
    expect(pass()).toEqual({
      '-a/s.jsonl': 'gone',
      '-a/t.jsonl': { kind: 'new', generation: 1, taken: long('new', 50) },
    })
  })

  test('T12: a fork with an equal head is a file of its own, both are read whole', () => {
    const shared = long('shared', 100)
    put('-a/s.jsonl', shared, 1)
    pass()
    put('-a/fork.jsonl', `${shared}fork\n`, 2)
    appendFileSync(at('-a/s.jsonl'), 'original\n')
    expect(pass()).toEqual({
      '-a/s.jsonl': { kind: 'grown', from: shared.length, generation: 1, taken: 'original\n' },
      '-a/fork.jsonl': { kind: 'new', generation: 1, taken: `${shared}fork\n` },
    })
  })

  test('T13: files of 0 to 2,048 bytes are read at once, and grow without being read again', () => {
    for (const size of [0, 1, 2, 3, 100, 1019, 1020, 1023, 1024, 1025, 2047, 2048]) {
      cursors = []
      const text = 'x'.repeat(Math.max(size - 1, 0)) + '\n'.repeat(Math.min(size, 1))
      put('-a/s.jsonl', text, 1)
      expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'new', taken: text } })
      expect(pass()).toEqual({})
      put('-a/s.jsonl', `${text}more\n`, 2)
      expect(pass()).toEqual({ '-a/s.jsonl': { kind: 'grown', from: size, generation: 1, taken: 'more\n' } })
    }
  })

  test('T14: a file moved to another project goes on in its generation', () => {
    put('-a/s.jsonl', long('row', 50), 1)
    pass()
    renameSync(at('-a/s.jsonl'), at('-b/s.jsonl'))
    expect(pass()).toEqual({
      '-b/s.jsonl': { kind: 'moved', from: at('-a/s.jsonl'), grown: false, generation: 1, taken: '' },
    })
    renameSync(at('-b/s.jsonl'), at('-a/t.jsonl'))
    appendFileSync(at('-a/t.jsonl'), 'more\n')
    expect(pass()).toEqual({
      '-a/t.jsonl': { kind: 'moved', from: at('-b/s.jsonl'), grown: true, generation: 1, taken: 'more\n' },
    })
    expect(cursors.map((cursor) => cursor.path).sort()).toEqual([at('-a/other.jsonl'), at('-a/t.jsonl')])
  })

  test('T14: a copy, and a second name for the same inode, are new files', () => {
    put('-a/s.jsonl', 'row\n', 1)
    pass()
    copyFileSync(at('-a/s.jsonl'), at('-b/copy.jsonl'))
    linkSync(at('-a/s.jsonl'), at('-b/link.jsonl'))
    expect(pass()).toEqual({
      '-b/copy.jsonl': { kind: 'new', generation: 1, taken: 'row\n' },
      '-b/link.jsonl': { kind: 'new', generation: 1, taken: 'row\n' },
    })
  })

  test('T14: a copy whose original was deleted is a new file', () => {
    put('-a/s.jsonl', 'row\n', 1)
    pass()
    copyFileSync(at('-a/s.jsonl'), at('-b/copy.jsonl'))
    rmSync(at('-a/s.jsonl'))
    expect(pass()).toEqual({
      '-a/s.jsonl': 'gone',
      '-b/copy.jsonl': { kind: 'new', generation: 1, taken: 'row\n' },
    })
  })

  test('T14: a file moved over another that was known is a new generation of the other', () => {
    put('-a/s.jsonl', 'one\n', 1)
    put('-a/t.jsonl', 'two\n', 1)
    pass()
    renameSync(at('-a/s.jsonl'), at('-a/t.jsonl'))
    expect(pass()).toEqual({
      '-a/s.jsonl': 'gone',
      '-a/t.jsonl': { kind: 'new-generation', reason: 'replaced', generation: 2, taken: 'one\n' },
    })
  })

  test('T15: a file deleted and re-created at once, of the same size, is found every time', () => {
    const name = '-a/s.jsonl'
    writeFileSync(at(name), line('0'))
    pass()
    for (let i = 1; i <= 1000; i++) {
      rmSync(at(name))
      writeFileSync(at(name), line(`${i}`))
      expect(pass()).toMatchObject({ [name]: { kind: 'new-generation', generation: i + 1, taken: line(`${i}`) } })
    }
  })

  test('T15: a file that was seen gone and comes back with other bytes is a new generation', () => {
    put('-a/s.jsonl', 'old\n', 1)
    pass()
    rmSync(at('-a/s.jsonl'))
    expect(pass()).toEqual({ '-a/s.jsonl': 'gone' })
    put('-a/s.jsonl', 'new\n', 2)
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'new-generation', generation: 2, taken: 'new\n' } })
  })

  test('goes on in the same generation when a lost file is put back, whatever its inode', () => {
    put('-a/s.jsonl', 'row\n', 1)
    pass()
    rmSync(at('-a/s.jsonl'))
    pass()
    put('-b/takes-the-inode.jsonl', 'x\n', 2)
    put('-a/s.jsonl', 'row\nmore\n', 3)
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'grown', from: 4, generation: 1, taken: 'more\n' } })
  })

  test('T28: an append is found although the time was set back', () => {
    put('-a/s.jsonl', 'row\n', 1)
    pass()
    put('-a/s.jsonl', 'row\nmore\n', 1)
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'grown', from: 4, generation: 1, taken: 'more\n' } })
    put('-a/s.jsonl', 'row\nmore\nyet more\n', -100)
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'grown', from: 9, generation: 1, taken: 'yet more\n' } })
  })

  test('T28: an edit that keeps size and time is found while the time is not settled', () => {
    put('-a/s.jsonl', long('old', 200), 4_999)
    pass()
    put('-a/s.jsonl', long('new', 200), 4_999)
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'new-generation', reason: 'rewritten' } })
  })

  test('T28: a touched file is the same', () => {
    put('-a/s.jsonl', long('row', 200), 1)
    pass()
    touch('-a/s.jsonl', 2)
    expect(pass()).toEqual({})
  })

  test('T28: an edit that keeps size and a settled time is found by a thorough look alone', () => {
    put('-a/s.jsonl', 'old\n', 1)
    pass()
    put('-a/s.jsonl', 'new\n', 1)
    expect(pass()).toEqual({})
    expect(pass({ thorough: true })).toMatchObject({ '-a/s.jsonl': { kind: 'new-generation', reason: 'rewritten' } })
  })

  test('reads nothing of a file whose size, time and inode are as they were', () => {
    put('-a/s.jsonl', long('row', 200), 1)
    pass()
    rmSync(at('-a/other.jsonl'))
    pass()
    const before = cursors.find((cursor) => cursor.path === at('-a/s.jsonl'))
    const { looks } = lookAll(cursors, source)
    expect(reads).toBe(0)
    expect(looks.get(at('-a/s.jsonl'))?.cursor).toBe(before)
  })

  test('T1: half a line is offered again until it is whole', () => {
    put('-a/s.jsonl', 'row\nha', 1)
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'new', taken: 'row\n' } })
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'grown', from: 4, taken: '' } })
    put('-a/s.jsonl', 'row\nhalf\n', 2)
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'grown', from: 4, taken: 'half\n' } })
  })
})

describe('advance', () => {
  test('makes the same cursor of bytes at hand as of bytes read again, in one step or in many', () => {
    const text = Buffer.from(long('row', 200))
    put('-a/s.jsonl', text.toString(), 1)
    const [entry] = Array.from(source.list()).filter((it) => it.path === at('-a/s.jsonl'))
    if (!entry) throw new Error('not listed')
    const whole = advance(startCursor(entry), source, entry, { offset: 20_000, line: 200 })
    for (const step of [100, 700, 5_000, 20_000]) {
      let again = startCursor(entry)
      let taken = startCursor(entry)
      for (let from = 0; from < 20_000; from += step) {
        const offset = Math.min(from + step, 20_000)
        again = advance(again, source, entry, { offset, line: offset / 100 })
        taken = advance(taken, source, entry, { offset, line: offset / 100, bytes: text.subarray(from, offset) })
      }
      expect(again).toEqual(whole)
      expect(taken).toEqual(whole)
    }
  })

  test('a file that changed between the reading and the advance is a new generation at the next look', () => {
    put('-a/s.jsonl', 'row one\nrow two\n', 1)
    const entry = Array.from(source.list()).find((it) => it.path === at('-a/s.jsonl'))
    if (!entry) throw new Error('not listed')
    const bytes = readFileSync(at('-a/s.jsonl'))
    put('-a/s.jsonl', 'row', 2)
    const unread = advance(startCursor(entry), source, entry, { offset: 16, line: 2 })
    put('-a/s.jsonl', 'ROW one\nROW two\nROW three\n', 3)
    const taken = advance(startCursor(entry), source, entry, { offset: 16, line: 2, bytes })
    cursors = [advance(unread, source, entry, { offset: 26, line: 3 })]
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'new-generation', generation: 2 } })
    cursors = [taken]
    expect(pass()).toMatchObject({ '-a/s.jsonl': { kind: 'new-generation', generation: 2 } })
  })
})

describe('look', () => {
  test('says gone without an entry, and for a file that vanished after it was listed', () => {
    put('-a/s.jsonl', 'row\n', 1)
    pass()
    const cursor = cursors.find((it) => it.path === at('-a/s.jsonl'))
    const entry = Array.from(source.list()).find((it) => it.path === at('-a/s.jsonl'))
    if (!cursor || !entry) throw new Error('not listed')
    rmSync(at('-a/s.jsonl'))
    expect(look(cursor, source, undefined)).toEqual({ kind: 'gone' })
    expect(look(cursor, source, entry, { thorough: true })).toEqual({ kind: 'gone' })
  })

  test('an entry that is older than the cursor is no truncation', () => {
    put('-a/s.jsonl', 'row\n', 1)
    const entry = Array.from(source.list()).find((it) => it.path === at('-a/s.jsonl'))
    if (!entry) throw new Error('not listed')
    appendFileSync(at('-a/s.jsonl'), 'more\n')
    const cursor = advance(startCursor(entry), source, entry, { offset: 9, line: 2 })
    expect(look(cursor, source, entry)).toEqual({ kind: 'same' })
  })
})

describe('readCursor', () => {
  test('T18: takes what JSON kept, and refuses everything else', () => {
    put('-a/s.jsonl', long('row', 3), 1)
    pass()
    for (const cursor of cursors) expect(readCursor(parseJson(JSON.stringify(cursor)))).toEqual(cursor)
    const [good] = cursors
    const bad = [
      null,
      [],
      {},
      { ...good, path: '' },
      { ...good, offset: -1 },
      { ...good, offset: 1.5 },
      { ...good, tailLength: 1e15 },
      { ...good, prefixSum: 2 ** 32 },
      { ...good, line: '1' },
      { ...good, modifiedAt: null },
    ]
    for (const value of bad) expect(readCursor(value)).toBeUndefined()
  })
})
