import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from '../core/json.ts'
import { advance, type Cursor, readCursor } from './cursor.ts'
import type { Source, SourceEntry } from './source.ts'
import { lookAll } from './survey.ts'

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
  | { readonly do: 'append' | 'appendHalf' | 'create'; readonly on: number; readonly size: number }
  | {
      readonly do: 'truncate' | 'rewrite' | 'flip' | 'replace'
      readonly on: number
      readonly share: number
      readonly size: number
    }
  | { readonly do: 'rename' | 'copy'; readonly on: number; readonly to: number }
  | { readonly do: 'delete' | 'touch'; readonly on: number }
  | { readonly do: 'restart' }
  | { readonly do: 'pass'; readonly lines: number }

/** Something that happens, and the time that passes before it. */
interface Event {
  readonly action: Action
  readonly tookMs: number
}

const PATHS = ['/r/projects/a/1.jsonl', '/r/projects/a/2.jsonl', '/r/projects/b/1.jsonl', '/r/projects/b/2.jsonl']

const on = fc.nat(PATHS.length - 1)
// Lines from a few bytes to more than both windows, so that files end up on either side of every limit.
const size = fc.oneof(fc.nat(40), fc.integer({ min: 900, max: 9000 }))
const share = fc.nat(100).map((percent) => percent / 100)
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('append', 'appendHalf', 'create'), on, size }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('truncate', 'rewrite', 'flip', 'replace'), on, share, size }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('rename', 'copy'), on, to: on }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('delete', 'touch'), on }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart') }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('pass'), lines: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY) }),
  },
)
// Some things happen within one tick of the clock, others so far apart that times are settled.
const event: fc.Arbitrary<Event> = fc.record({ action, tookMs: fc.constantFrom(0, 0, 1, 3000) })

test.each([false, true])('every line of every generation is taken once (thorough: %s)', (thorough) => {
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 1, max: 5000 }),
      (events, chunk) => {
        const world = makeWorld(chunk, thorough)
        for (const next of events) world.act(next)
        world.pass(Number.POSITIVE_INFINITY)
        world.pass(Number.POSITIVE_INFINITY)
      },
    ),
    { numRuns: 2000 },
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
  // A history in which a change stays unseen as it may is of no more use.
  let hasEnded = false

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

  function act({ action: next, tookMs }: Event): void {
    clock += tookMs
    if (next.do === 'pass') pass(next.lines)
    else if (next.do === 'restart') cursors = cursors.map(throughJson)
    else if (next.do === 'create') create(PATHS[next.on] as string, line(next.size))
    else change(next)
  }

  function create(path: string, bytes: Buffer): void {
    if (!files.has(path)) files.set(path, { inode: freeInode(), bytes, modifiedAt: clock })
  }

  function change(next: Exclude<Action, { do: 'pass' | 'restart' | 'create' }>): void {
    const [path, file] = [...files][next.on % files.size] ?? []
    if (!path || !file) return
    const write = (...parts: Buffer[]) => {
      Object.assign(files.get(path) ?? file, { bytes: Buffer.concat(parts), modifiedAt: clock })
    }
    const front = 'share' in next ? Math.floor(file.bytes.length * next.share) : 0
    const isInLine = (file.bytes[front] ?? 10) !== 10
    const flipped = () =>
      Buffer.concat([file.bytes.subarray(0, front), Buffer.from('#'), file.bytes.subarray(front + 1)])
    const to = 'to' in next ? (PATHS[next.to] as string) : path
    switch (next.do) {
      case 'append':
        write(file.bytes, line(next.size))
        break
      case 'appendHalf':
        write(file.bytes, text(next.size))
        break
      case 'replace':
        files.set(path, { ...file, inode: freeInode() })
        write(next.size % 2 === 0 && isInLine ? flipped() : file.bytes, line(next.size))
        break
      case 'truncate':
        write(file.bytes.subarray(0, front))
        break
      case 'rewrite':
        write(file.bytes.subarray(0, front), line(next.size), line(next.size))
        break
      case 'flip':
        if (isInLine) write(flipped())
        break
      case 'touch':
        write(file.bytes)
        break
      case 'delete':
        files.delete(path)
        break
      case 'rename':
        files.delete(path)
        files.set(to, file)
        break
      case 'copy':
        if (to === path) break
        files.set(to, { inode: files.get(to)?.inode ?? freeInode(), bytes: file.bytes, modifiedAt: clock })
    }
  }

  /** Looks at everything and takes at most `limit` lines of each file. */
  function pass(limit: number): void {
    const entries = [...source.list()]
    hasEnded ||= !thorough && cursors.some((cursor) => entries.some((entry) => isHidden(cursor, entry)))
    if (hasEnded) return
    const before = new Map(taken)
    const { looks, gone } = lookAll(cursors, source, { thorough })
    expect(new Set(looks.keys())).toEqual(new Set(files.keys()))
    const movedFrom = new Set(Array.from(looks.values(), ({ look }) => (look.kind === 'moved' ? look.from : undefined)))
    const absent = [...before.keys()].filter((path) => !files.has(path) && !movedFrom.has(path))
    expect(gone.map((cursor) => cursor.path).sort()).toEqual(absent.sort())
    const next: Cursor[] = [...gone]
    for (const [path, { entry, look, cursor }] of looks) {
      const from = look.kind === 'moved' ? look.from : path
      const known = before.get(from)
      if (known) {
        // What was taken is still there: the same generation goes on. Otherwise a new one begins.
        const isKept = textOf(path).startsWith(known.text)
        expect([path, look.kind === 'new-generation']).toEqual([path, !isKept])
        const { generation, text } = known
        if (look.kind === 'moved') {
          const inode = cursors.find((it) => it.path === from)?.inode
          expect([files.has(from), text === '', inode]).toEqual([false, false, entry.inode])
          taken.delete(from)
        }
        taken.set(path, isKept ? known : { generation: generation + 1, text: '' })
      } else {
        expect([path, look.kind, hasMoved(path, before)]).toEqual([path, 'new', false])
        taken.set(path, { generation: 1, text: '' })
      }
      const isDone = look.kind === 'same' || (look.kind === 'moved' && !look.grown)
      next.push(isDone ? cursor : take(entry, cursor, limit))
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

  /** The one change that only a thorough look finds: far from both windows, in the same inode, and then grown. */
  function isHidden(cursor: Cursor, entry: SourceEntry): boolean {
    const text = taken.get(cursor.path)?.text ?? ''
    const now = textOf(entry.path).slice(0, text.length)
    const hasWindows = now.slice(0, 1024) === text.slice(0, 1024) && now.slice(-4096) === text.slice(-4096)
    return now !== text && hasWindows && cursor.inode === entry.inode && entry.sizeBytes > cursor.sizeBytes
  }

  /** Whether the very file at a new path was known, and read, at one that is gone. */
  function hasMoved(path: string, before: ReadonlyMap<string, Taken>): boolean {
    const from = whereTaken.get(files.get(path) as File)
    const was = from === undefined || files.has(from) ? undefined : before.get(from)
    return was !== undefined && was.text !== '' && textOf(path).startsWith(was.text)
  }

  function throughJson(cursor: Cursor): Cursor {
    const kept = readCursor(parseJson(JSON.stringify(cursor)))
    if (!kept) throw new Error('A cursor did not survive.')
    return kept
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
