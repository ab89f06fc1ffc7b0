import fc from 'fast-check'
import { expect, test } from 'vitest'
import { relativePath } from '../src/collector/names.ts'
import type { TeamRow } from '../src/collector/row.ts'
import type { Mark } from '../src/collector/sink.ts'
import type { Source } from '../src/disk/source.ts'
import { ALL, collectorOf, FACTS, MemoryState } from './collector/made-collector.ts'
import { type Fault, MemorySink } from './collector/memory-sink.ts'

interface File {
  readonly inode: number
  bytes: Buffer
  modifiedAt: number
}

type Action =
  | { readonly do: 'append' | 'half' | 'create'; readonly on: number; readonly size: number }
  | { readonly do: 'truncate' | 'rewrite' | 'replace'; readonly on: number; readonly share: number }
  | { readonly do: 'rename' | 'copy'; readonly on: number; readonly to: number }
  | { readonly do: 'delete' | 'recreate' | 'touch'; readonly on: number }
  | { readonly do: 'restart' | 'lose-state' }
  | { readonly do: 'fault'; readonly fault: Fault }
  | { readonly do: 'pass'; readonly batchRows: number }

type Change = Exclude<Action, { do: 'pass' | 'fault' | 'restart' | 'lose-state' }>

const SESSIONS = [1, 2, 3].map((n) => `0000000${n}-0000-4000-8000-00000000000${n}`)
const PATHS = [
  `/r/projects/a/${SESSIONS[0]}.jsonl`,
  `/r/projects/a/${SESSIONS[1]}.jsonl`,
  `/r/projects/b/${SESSIONS[0]}.jsonl`,
  `/r/projects/b/${SESSIONS[2]}/subagents/agent-a1.jsonl`,
  '/r/history.jsonl',
]
const on = fc.nat(PATHS.length - 1)
const size = fc.oneof(fc.nat(40), fc.integer({ min: 900, max: 6000 }))
const share = fc.nat(100).map((percent) => percent / 100)
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 7, arbitrary: fc.record({ do: fc.constantFrom('append', 'half', 'create'), on, size }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('truncate', 'rewrite', 'replace'), on, share }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('rename', 'copy'), on, to: on }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('delete', 'recreate', 'touch'), on }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('restart', 'lose-state') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('fault'), fault: fc.constantFrom<Fault>('refuse', 'lose-answer') }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('pass'), batchRows: fc.constantFrom(1, 3, 2000) }) },
)

test.each([
  ['with content and paths', ALL],
  ['with facts and hashes', FACTS],
] as const)(
  'whatever happens to logs, sink and memory, the sink has what the logs have, nothing lost and nothing doubled (T1, T4, T5, T7 to T16, T18, T23), %s',
  async (_, choices) => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 40 }), async (actions) => {
        const world = makeWorld(choices)
        for (const next of actions) await world.act(next)
        world.sink.faults.length = 0
        await world.act({ do: 'pass', batchRows: 2000 })
        world.check()
        const before = world.sink.batches.length
        await world.act({ do: 'pass', batchRows: 2000 })
        expect(world.sink.batches.length, 'a pass over what is delivered delivers nothing').toBe(before)
      }),
      { numRuns: Number(process.env.ANNALS_RUNS ?? 400) },
    )
  },
)

/** A file system in memory, a collector on it, and what each line was when it was written. */
function makeWorld(choices: typeof ALL) {
  const files = new Map<string, File>()
  const sink = new MemorySink()
  let state = new MemoryState()
  let clock = 0
  let serial = 0
  let collector = newCollector()
  let isStarted = false

  function sourceOf(): Source {
    return {
      *list() {
        for (const [path, { bytes, modifiedAt, inode }] of files) {
          yield { root: '/r', path, sizeBytes: bytes.length, modifiedAt, inode: `1:${inode}` }
        }
      },
      read(entry, offset, into) {
        const file = files.get(entry.path)
        return file?.bytes.copy(into.subarray(0, 700), 0, Math.min(offset, file.bytes.length))
      },
    }
  }

  function newCollector(batchRows = 2000) {
    const limits = { batchRows, saveMs: 0 }
    return collectorOf(sourceOf(), sink, {
      choices,
      state,
      limits,
      attempts: 1,
      thorough: true,
      reading: { chunkBytes: 512 },
    })
  }

  function freeInode(): number {
    const used = new Set(Array.from(files.values(), (file) => file.inode))
    let inode = 1
    while (used.has(inode)) inode++
    return inode
  }

  /** A record whose id says which one it is. */
  function line(length: number): Buffer {
    const n = serial++
    const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    const raw = { type: 'user', uuid, cwd: '/home/ana', message: { role: 'user', content: 'x'.repeat(length) } }
    return Buffer.from(`${JSON.stringify(raw)}\n`)
  }

  async function act(next: Action): Promise<void> {
    clock += serial % 3 === 0 ? 3000 : 0
    if (next.do === 'pass') return pass(next.batchRows)
    if (next.do === 'fault') {
      sink.faults.push(next.fault)
      return
    }
    if (next.do === 'restart' || next.do === 'lose-state') {
      if (next.do === 'lose-state') state = new MemoryState()
      isStarted = false
      return
    }
    if (next.do === 'create' && 'size' in next) {
      const path = PATHS[next.on] as string
      if (!files.has(path)) files.set(path, { inode: freeInode(), bytes: line(next.size), modifiedAt: clock })
      return
    }
    const [path, file] = [...files][(next as { on: number }).on % files.size] ?? []
    if (path && file) change(next as Change, path, file)
  }

  function change(next: Change, path: string, file: File): void {
    const write = (...parts: Buffer[]) => Object.assign(file, { bytes: Buffer.concat(parts), modifiedAt: clock })
    const front = 'share' in next ? Math.floor(file.bytes.length * next.share) : 0
    if (next.do === 'append') write(file.bytes, line(next.size))
    else if (next.do === 'half') write(file.bytes, line(next.size).subarray(0, 20 + next.size))
    else if (next.do === 'truncate') write(file.bytes.subarray(0, front))
    else if (next.do === 'rewrite') write(file.bytes.subarray(0, front), Buffer.from('\n'), line(front % 50))
    else if (next.do === 'replace') {
      files.set(path, { inode: freeInode(), bytes: Buffer.concat([file.bytes, line(5)]), modifiedAt: clock })
    } else if (next.do === 'touch') file.modifiedAt = clock
    else if (next.do === 'delete') files.delete(path)
    else if (next.do === 'recreate') {
      files.delete(path)
      files.set(path, { inode: freeInode(), bytes: line(30), modifiedAt: clock })
    } else if (next.do === 'rename') {
      files.delete(path)
      files.set(PATHS[next.to] as string, file)
    } else if (next.do === 'copy') {
      const to = PATHS[next.to] as string
      if (to !== path)
        files.set(to, { inode: files.get(to)?.inode ?? freeInode(), bytes: file.bytes, modifiedAt: clock })
    }
  }

  async function pass(batchRows: number): Promise<void> {
    const hadFault = sink.faults.length > 0
    try {
      if (!isStarted) {
        collector = newCollector(batchRows)
        await collector.start()
        isStarted = true
      }
      await collector.pass()
    } catch (error) {
      if (!hadFault) throw error
    }
  }

  /** What a reader finds of the log at a path: the rows of its newest generation. */
  function newest(path: string): { readonly mark: Mark | undefined; readonly rows: readonly TeamRow[] } {
    const names = [...sink.kept.values()].filter(({ cursor }) => cursor && nameAt(path) === cursor.path)
    const mark = names.sort((a, b) => a.generation - b.generation).at(-1)
    const rows = [...sink.rows.values()].filter(
      ({ file, generation }) => file === mark?.file && generation === mark.generation,
    )
    return { mark, rows: rows.sort((a, b) => a.offset - b.offset) }
  }

  function nameAt(path: string): string {
    const one = collectorNames.get(path)
    if (one !== undefined) return one
    throw new Error(`${path} has no name`)
  }
  const collectorNames = new Map(PATHS.map((path) => [path, namesFor(choices, path)]))

  function check(): void {
    for (const [path, { bytes }] of files) {
      const end = bytes.lastIndexOf(0x0a) + 1
      const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1)
      let offset = 0
      const expected: { offset: number; line: number; uuid: string | null }[] = []
      for (const [at, text] of lines.entries()) {
        // A line that was cut and written on holds one record at its end, or none.
        const found = [...text.matchAll(/"uuid":"([\w-]+)"/g)]
        if (text.trim() !== '') expected.push({ offset, line: at + 1, uuid: found.at(-1)?.[1] ?? null })
        offset += Buffer.byteLength(text) + 1
      }
      if (end === 0) continue
      const { mark, rows } = newest(path)
      expect(mark?.offset, `${relativePath({ root: '/r', path })} is delivered to its end`).toBe(end)
      const linesSeen = new Set(rows.map((row) => row.line))
      expect([...linesSeen], path).toEqual(expected.map((one) => one.line))
      for (const one of expected) {
        const whole = rows.filter((row) => row.line === one.line)
        if (whole.length === 1 && whole[0]?.type === 'user') expect(whole[0].uuid).toBe(one.uuid)
      }
      // Each byte of a line belongs to one row at most.
      let last = -1
      for (const row of rows) {
        expect(row.offset).toBeGreaterThan(last)
        last = row.offset + row.length - 1
      }
    }
  }

  return { act, check, sink }
}

function namesFor(choices: typeof ALL, path: string): string {
  return collectorOf({ list: () => [], read: () => 0 }, new MemorySink(), { choices }).nameOf({ root: '/r', path })
}
