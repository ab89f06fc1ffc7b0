import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from '../core/json.ts'
import { advance, type Cursor, lookAll, readCursor } from './cursor.ts'
import type { Source, SourceEntry } from './source.ts'

interface File {
  readonly inode: number
  bytes: Buffer
  modifiedAt: number
}

/** What was taken of one generation: the lines, and that they were taken in one piece from the front. */
interface Taken {
  readonly generation: number
  text: string
}

type Action =
  | { readonly do: 'append' | 'appendHalf' | 'replace' | 'create'; readonly on: number; readonly size: number }
  | { readonly do: 'truncate' | 'rewrite' | 'flip'; readonly on: number; readonly share: number; readonly size: number }
  | { readonly do: 'rename' | 'copy'; readonly on: number; readonly to: number }
  | { readonly do: 'delete' | 'touch'; readonly on: number }
  | { readonly do: 'restart' }
  | { readonly do: 'pass'; readonly lines: number }

const PATHS = ['/r/projects/a/1.jsonl', '/r/projects/a/2.jsonl', '/r/projects/b/1.jsonl', '/r/projects/b/2.jsonl']

const on = fc.nat(PATHS.length - 1)
// Lines from a few bytes to more than both windows, so that files end up on either side of every limit.
const size = fc.oneof(fc.nat(40), fc.nat(40), fc.integer({ min: 900, max: 6000 }))
const share = fc.double({ min: 0, max: 1, noNaN: true })
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('append' as const, 'appendHalf' as const), on, size }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('replace' as const, 'create' as const), on, size }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('truncate' as const, 'rewrite' as const, 'flip' as const),
      on,
      share,
      size,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('rename' as const, 'copy' as const), on, to: on }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'touch' as const), on }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), lines: fc.integer({ min: 1, max: 20 }) }) },
)

test.each([false, true])('every line of every generation is taken once (thorough: %s)', (thorough) => {
  fc.assert(
    fc.property(
      fc.array(action, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 5000 }),
      (actions, chunk) => {
        const world = makeWorld(chunk, thorough)
        for (const next of actions) world.act(next)
        world.pass(Number.POSITIVE_INFINITY)
        world.pass(Number.POSITIVE_INFINITY)
      },
    ),
    { numRuns: 1500 },
  )
})

/** A file system in memory, a reader that follows it by cursors, and a plain record of what it took. */
function makeWorld(chunkBytes: number, thorough: boolean) {
  const files = new Map<string, File>()
  const taken = new Map<string, Taken>()
  let whereTaken = new Map<File, string>()
  let cursors: readonly Cursor[] = []
  let clock = 0
  let serial = 0

  const source: Source = {
    *list() {
      for (const [path, { bytes, modifiedAt, inode }] of files) {
        yield { root: '/r', path, sizeBytes: bytes.length, modifiedAt, inode: `1:${inode}` }
      }
    },
    read(entry, offset, into) {
      const file = files.get(entry.path)
      return file?.bytes.copy(into.subarray(0, chunkBytes), 0, Math.min(offset, file.bytes.length))
    },
  }

  /** The lowest free number: every inode is reused as soon as it can be. */
  function freeInode(): number {
    const used = new Set(Array.from(files.values(), (file) => file.inode))
    let inode = 1
    while (used.has(inode)) inode++
    return inode
  }

  const text = (length: number) => Buffer.from(`${serial++}`.padEnd(length, 'x'))
  const line = (length: number) => Buffer.concat([text(length), Buffer.from('\n')])

  function act(next: Action): void {
    // Slow enough for settled times, fast enough for some that are not.
    clock += serial % 3 === 0 ? 3000 : 1
    if (next.do === 'pass') return pass(next.lines)
    if (next.do === 'restart') {
      cursors = cursors.map((cursor) => {
        const kept = readCursor(parseJson(JSON.stringify(cursor)))
        if (!kept) throw new Error('a cursor did not survive')
        return kept
      })
      return
    }
    const path = PATHS[next.on] as string
    const file = files.get(path)
    if (next.do === 'create') {
      if (!file) files.set(path, { inode: freeInode(), bytes: line(next.size), modifiedAt: clock })
      return
    }
    if (!file) return
    const write = (...parts: Buffer[]) => {
      file.bytes = Buffer.concat(parts)
      file.modifiedAt = clock
    }
    const front = 'share' in next ? Math.floor(file.bytes.length * next.share) : 0
    switch (next.do) {
      case 'append':
        return write(file.bytes, line(next.size))
      case 'appendHalf':
        return write(file.bytes, text(next.size))
      case 'replace':
        files.set(path, { inode: freeInode(), bytes: Buffer.concat([file.bytes, line(next.size)]), modifiedAt: clock })
        return
      case 'truncate':
        return write(file.bytes.subarray(0, front))
      case 'rewrite':
        return write(file.bytes.subarray(0, front), line(next.size), line(next.size))
      case 'flip': {
        const copy = Buffer.from(file.bytes)
        const byte = copy[front]
        if (byte === undefined || byte === 10) return
        copy[front] = byte ^ 1
        write(copy)
        // Edited in the middle and then grown is what only a thorough look finds.
        return thorough ? undefined : pass(1)
      }
      case 'touch':
        return write(file.bytes)
      case 'delete':
        files.delete(path)
        return
      case 'rename': {
        const to = PATHS[next.to] as string
        files.delete(path)
        files.set(to, file)
        return
      }
      case 'copy': {
        const to = PATHS[next.to] as string
        if (to === path) return
        files.set(to, { inode: files.get(to)?.inode ?? freeInode(), bytes: file.bytes, modifiedAt: clock })
      }
    }
  }

  /** Looks at everything and takes at most `limit` lines of each file. */
  function pass(limit: number): void {
    const before = new Map(taken)
    const { looks, gone } = lookAll(cursors, source, { thorough })
    expect(new Set(looks.keys())).toEqual(new Set(files.keys()))
    expect(gone.filter((cursor) => files.has(cursor.path))).toEqual([])
    const next: Cursor[] = [...gone]
    for (const [path, { entry, look, cursor }] of looks) {
      const content = textOf(path)
      const known = before.get(path)
      if (known) {
        // What was taken is still there: the same generation goes on. Otherwise a new one begins.
        const isKept = content.startsWith(known.text)
        expect([path, look.kind === 'new-generation']).toEqual([path, !isKept])
        if (!isKept) taken.set(path, { generation: known.generation + 1, text: '' })
      } else if (look.kind === 'moved') {
        const moved = before.get(look.from)
        expect(files.has(look.from)).toBe(false)
        expect(moved?.text).not.toBe('')
        expect(content.startsWith(moved?.text ?? '?')).toBe(true)
        taken.delete(look.from)
        taken.set(path, { generation: moved?.generation ?? 0, text: moved?.text ?? '' })
      } else {
        expect(look.kind).toBe('new')
        expect([path, hasMoved(path, before)]).toEqual([path, false])
        taken.set(path, { generation: 1, text: '' })
      }
      next.push(take(entry, cursor, limit))
    }
    cursors = next
    whereTaken = new Map(Array.from(files, ([path, file]) => [file, path]))
    if (limit === Number.POSITIVE_INFINITY) {
      for (const path of files.keys()) {
        const content = textOf(path)
        expect(taken.get(path)?.text).toBe(content.slice(0, content.lastIndexOf('\n') + 1))
      }
    }
  }

  function textOf(path: string): string {
    return files.get(path)?.bytes.toString() ?? ''
  }

  /** Whether the very file at a new path was known, and read, at one that is gone. */
  function hasMoved(path: string, before: ReadonlyMap<string, Taken>): boolean {
    const from = whereTaken.get(files.get(path) as File)
    const was = from === undefined || files.has(from) ? undefined : before.get(from)
    return was !== undefined && was.text !== '' && textOf(path).startsWith(was.text)
  }

  /** A reader of its own: chunks of any size, lines split by hand, the cursor moved behind the last whole line. */
  function take(entry: SourceEntry, cursor: Cursor, limit: number): Cursor {
    const record = taken.get(entry.path) as Taken
    expect([cursor.path, cursor.generation]).toEqual([entry.path, record.generation])
    expect([cursor.offset, cursor.line]).toEqual([record.text.length, record.text.split('\n').length - 1])
    const buffer = Buffer.alloc(4096)
    let pending = ''
    let lines = 0
    let fresh = ''
    for (let offset = cursor.offset; lines < limit; ) {
      const count = source.read(entry, offset, buffer) ?? 0
      if (count === 0) break
      offset += count
      pending += buffer.toString('latin1', 0, count)
      for (let end = pending.indexOf('\n'); end >= 0 && lines < limit; end = pending.indexOf('\n')) {
        fresh += pending.slice(0, end + 1)
        pending = pending.slice(end + 1)
        lines++
      }
    }
    if (lines === 0) return cursor
    record.text += fresh
    const progress = { offset: cursor.offset + fresh.length, line: cursor.line + lines }
    const isAtHand = serial % 2 === 0
    return advance(cursor, source, entry, isAtHand ? { ...progress, bytes: Buffer.from(fresh) } : progress)
  }

  return { act, pass }
}
