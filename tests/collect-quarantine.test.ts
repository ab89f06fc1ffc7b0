import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ignoreTest } from '../src/collector/ignore.ts'
import type { Source } from '../src/disk/source.ts'
import { collectorOf, quickClock } from './collector/made-collector.ts'
import { ID, LOG, line, withRoot } from './collector/made-root.ts'
import { MemorySink } from './collector/memory-sink.ts'

const HOUR = 3_600_000
const logAt = (number: number) => `projects/-p/bbbb2222-0000-4000-8000-${String(number).padStart(12, '0')}.jsonl`

/** A source that counts what it is asked, and cannot read some files as long as they are closed. */
function counted(disk: Source, isClosed: (path: string) => boolean) {
  const asked = new Map<string, { reads: number; bytes: number }>()
  const source: Source = {
    list: () => disk.list(),
    read(entry, offset, into) {
      const count = isClosed(entry.path) ? undefined : disk.read(entry, offset, into)
      const before = asked.get(entry.path) ?? { reads: 0, bytes: 0 }
      asked.set(entry.path, { reads: before.reads + 1, bytes: before.bytes + (count ?? 0) })
      return count
    },
  }
  /** What was asked since the last time, of all files whose path matches. */
  const takeWork = (pattern: RegExp) => {
    const work = [...asked].filter(([path]) => pattern.test(path)).map(([, one]) => one)
    for (const path of [...asked.keys()].filter((one) => pattern.test(one))) asked.delete(path)
    return {
      reads: work.reduce((sum, { reads }) => sum + reads, 0),
      bytes: work.reduce((sum, { bytes }) => sum + bytes, 0),
    }
  }
  return { source, takeWork }
}

test('a hundred files that cannot be read or hold no line rest longer each time; the others go on (T26)', () =>
  withRoot({ [LOG]: line(1) }, async ({ source: open, write, append }) => {
    const clock = quickClock()
    for (let number = 0; number < 50; number++) write(logAt(number), line(number, 'closed'))
    // One long line that never ends: to find that out, all of it has to be read.
    for (let number = 50; number < 100; number++) write(logAt(number), Buffer.alloc(300_000, 'x'))
    for (let number = 0; number < 10; number++) write(`projects/-p/memory/closed-${number}.md`, 'closed')
    const isBad = (path: string) => /bbbb2222.*0000000000[0-4]\d\.jsonl$|closed-\d\.md$/.test(path)
    const { source, takeWork } = counted(open(), isBad)
    const bad = /bbbb2222|closed-/
    const sink = new MemorySink()
    const collector = collectorOf(source, sink, { clock, reading: { chunkBytes: 64 * 1024 } })
    await collector.start()
    await collector.pass()
    const first = takeWork(bad)
    expect(first.reads).toBeGreaterThan(100)
    expect(sink.rows.size).toBe(1)
    expect(collector.lag().length, 'they are told as behind').toBe(100)

    // Twenty rounds in which others are written, within the first minute: nothing of the bad ones is asked.
    for (let round = 0; round < 20; round++) {
      append(LOG, line(100 + round))
      await clock.sleep(2_000, undefined)
      await collector.pass()
    }
    expect(takeWork(bad)).toEqual({ reads: 0, bytes: 0 })
    expect(sink.rows.size).toBe(21)
    expect(collector.lag().length).toBe(100)

    // A day of rounds, one every five minutes: after 1, 2, 4 … 32 minutes, then once an hour.
    const times = new Set<number>()
    let work = { reads: 0, bytes: 0 }
    for (let at = 0; at < 24 * HOUR; at += 300_000) {
      await clock.sleep(300_000, undefined)
      await collector.pass()
      const now = takeWork(bad)
      if (now.reads > 0) times.add(at)
      work = { reads: work.reads + now.reads, bytes: work.bytes + now.bytes }
    }
    expect(times.size).toBeLessThanOrEqual(6 + 24)
    expect(times.size).toBeGreaterThan(20)
    expect(work.reads).toBeLessThanOrEqual((6 + 24) * first.reads)
  }))

test('what becomes readable, or whole, leaves: at once where that can be seen, else when its rest is over (T26)', () =>
  withRoot({ [LOG]: line(1), [logAt(1)]: line(2, 'closed'), [logAt(2)]: line(3).trimEnd() }, async (made) => {
    const clock = quickClock()
    let isClosed = true
    const { source } = counted(made.source(), (path) => isClosed && path.endsWith('1.jsonl') && path.includes('bbbb'))
    const sink = new MemorySink()
    const collector = collectorOf(source, sink, { clock })
    await collector.start()
    await collector.pass()
    expect(sink.rows.size).toBe(1)
    made.append(logAt(2), '\n')
    await collector.pass()
    expect(sink.rows.size, 'the newline is seen').toBe(2)
    isClosed = false
    await collector.pass()
    expect(sink.rows.size, 'nothing can be seen from outside').toBe(2)
    await clock.sleep(60_000, undefined)
    await collector.pass()
    expect(sink.rows.size).toBe(3)
    expect(collector.lag()).toEqual([])
  }))

test('a log that was closed to us when its project said that nothing leaves does not leave when it is opened', () =>
  withRoot({ [LOG]: line(1) }, async ({ source: open, write, folder }) => {
    const clock = quickClock()
    const cwd = join(folder, 'private')
    write(logAt(1), line(2, 'private', { cwd }))
    write(logAt(2), line(3, 'public', { cwd: folder }))
    let isClosed = true
    const { source } = counted(open(), (path) => isClosed && path.includes('bbbb'))
    const sink = new MemorySink()
    const collector = collectorOf(source, sink, { clock, isIgnored: ignoreTest([cwd], '/nowhere') })
    await collector.start()
    await collector.pass()
    isClosed = false
    await clock.sleep(2 * HOUR, undefined)
    await collector.pass()
    const all = [...sink.rows.values()].map(({ content }) => Buffer.from(content).toString('utf8')).join('\n')
    expect(all).toContain('public')
    expect(all).not.toContain('private')
    expect(collector.lag()).toEqual([])
  }))

type Action =
  | { readonly do: 'line' | 'half' | 'close' | 'open'; readonly on: number }
  | { readonly do: 'pass'; readonly afterMs: number }

const on = fc.nat(2)
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constantFrom('line', 'half', 'close', 'open'), on }),
  fc.record({ do: fc.constant('pass'), afterMs: fc.constantFrom(0, 30_000, 60_000, HOUR) }),
)

test('whatever was closed, half or quiet, and for how long: an hour after all is open, every whole line is there once', () =>
  fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      const files = [1, 2, 3].map((number) => {
        return { path: `/r/${logAt(number)}`, bytes: Buffer.from(line(number)), modifiedAt: 0, isClosed: false }
      })
      let serial = 10
      const source: Source = {
        *list() {
          for (const [at, { path, bytes, modifiedAt }] of files.entries()) {
            yield { root: '/r', path, sizeBytes: bytes.length, modifiedAt, inode: `1:${at}` }
          }
        },
        read(entry, offset, into) {
          const file = files.find(({ path }) => path === entry.path)
          if (!file || file.isClosed) return undefined
          return file.bytes.copy(into, 0, Math.min(offset, file.bytes.length))
        },
      }
      const clock = quickClock()
      const sink = new MemorySink()
      const collector = collectorOf(source, sink, { clock })
      await collector.start()
      for (const one of actions) {
        if (one.do === 'pass') {
          await clock.sleep(one.afterMs, undefined)
          await collector.pass()
          continue
        }
        const file = files[one.on] as (typeof files)[number]
        if (one.do === 'close' || one.do === 'open') file.isClosed = one.do === 'close'
        else {
          const text = Buffer.from(line(serial++))
          file.modifiedAt = serial * 5000
          file.bytes = Buffer.concat([file.bytes, one.do === 'line' ? text : text.subarray(0, 40)])
        }
      }
      for (const file of files) file.isClosed = false
      await clock.sleep(HOUR, undefined)
      await collector.pass()
      for (const { path, bytes } of files) {
        const own = [...sink.kept.values()].filter(({ file }) => path.endsWith(file.slice(file.indexOf('projects/'))))
        expect(own.map(({ generation, offset }) => [generation, offset])).toEqual([
          [1, bytes.filter((byte) => byte === 0x0a).length * 2 ** 27],
        ])
      }
      const before = sink.batches.length
      await collector.pass()
      expect(sink.batches.length).toBe(before)
    }),
    { numRuns: Number(process.env.ANNALS_RUNS ?? 200) },
  ))

const isRoot = process.getuid?.() === 0

test.skipIf(isRoot)(`a file without rights is such a file${isRoot ? ' (skipped: root may read all)' : ''}`, () =>
  withRoot({ [LOG]: line(1), [logAt(1)]: line(2) }, async ({ source, root }) => {
    chmodSync(join(root, logAt(1)), 0)
    writeFileSync(join(root, logAt(2)), line(3))
    const sink = new MemorySink()
    const collector = collectorOf(source(), sink)
    await collector.start()
    await collector.pass()
    expect([...sink.rows.values()].map(({ session }) => session)).toContain(ID)
    expect(sink.rows.size).toBe(2)
  }),
)
