import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { archiveFolder } from '../src/archive/archive.ts'
import { withArchive } from '../src/archive/archive-source.ts'
import { syncArchive } from '../src/archive/sync.ts'
import { isCollectedPath } from '../src/collector/collected-files.ts'
import { ignoreTest } from '../src/collector/ignore.ts'
import type { TeamRow } from '../src/collector/row.ts'
import { type Sink, SinkTrouble } from '../src/collector/sink.ts'
import { StateFile } from '../src/collector/state.ts'
import { tombstoneOf } from '../src/collector/tombstone.ts'
import type { Source } from '../src/disk/source.ts'
import { ALL, collectorOf, FACTS, MemoryState, quickClock } from './collector/made-collector.ts'
import { ID, LOG, line, withRoot } from './collector/made-root.ts'
import { MemorySink } from './collector/memory-sink.ts'

const contents = (sink: MemorySink) =>
  [...sink.rows.values()].map(({ content }) => Buffer.from(content).toString('utf8'))
const texts = (sink: MemorySink) => contents(sink).map((one) => JSON.parse(one).message?.content)

/** One run of the collector, from its start. */
async function run(source: Source, sink: Sink, more: Parameters<typeof collectorOf>[2] = {}) {
  const collector = collectorOf(source, sink, more)
  await collector.start()
  return collector.pass()
}

describe('lines', () => {
  test('a record leaves once and whole, wherever its writer paused and we were started again (T1)', () =>
    withRoot({ [LOG]: '' }, async ({ source, write }) => {
      const bytes = Buffer.from(line(1, 'größe 😀'))
      for (let at = 1; at < bytes.length; at += 7) {
        const sink = new MemorySink()
        const state = new MemoryState()
        write(LOG, bytes.subarray(0, at))
        expect(await run(source(), sink, { state })).toMatchObject({ records: 0, lagBytes: at })
        write(LOG, bytes)
        await run(source(), sink, { state })
        expect(contents(sink)).toEqual([bytes.toString('utf8').trim()])
      }
    }))

  test('a last line that is whole JSON stays here until its newline comes (T2)', () =>
    withRoot({ [LOG]: line(1) + line(2).trimEnd() }, async ({ source, append }) => {
      const sink = new MemorySink()
      await run(source(), sink)
      expect(texts(sink)).toEqual(['word 1'])
      append(LOG, '\n')
      await run(source(), sink)
      expect(texts(sink)).toEqual(['word 1', 'word 2'])
    }))

  test('rows are the same for every size of chunk (T3)', () =>
    withRoot({ [LOG]: line(1, 'ä漢😀'.repeat(30)) + line(2) + line(3, '😀'.repeat(40)) }, async ({ source }) => {
      const expected = new MemorySink()
      await run(source(), expected)
      for (const chunkBytes of [
        ...Array.from({ length: 17 }, (_, at) => at + 1),
        255,
        4095,
        4096,
        4097,
        65535,
        65537,
      ]) {
        const sink = new MemorySink()
        await run(source(), sink, { reading: { chunkBytes } })
        expect([...sink.rows.values()], String(chunkBytes)).toEqual([...expected.rows.values()])
      }
    }))

  test('a line too long to hold leaves as its place and a keyed hash, and the next ones as usual (T17)', () =>
    withRoot({ [LOG]: line(1) + line(2, 'x'.repeat(5000)) + line(3) }, async ({ source }) => {
      const sink = new MemorySink()
      await run(source(), sink, { reading: { chunkBytes: 64, maxLineBytes: 1000 } })
      const long = line(2, 'x'.repeat(5000)).trimEnd()
      const sha256 = createHash('sha256').update(long).digest('hex')
      expect([...sink.rows.values()].map(({ type, line, length }) => [type, line, length])).toEqual([
        ['user', 1, line(1).length - 1],
        ['oversize', 2, long.length],
        ['user', 3, line(3).length - 1],
      ])
      const { hmac, ...rest } = JSON.parse(contents(sink)[1] as string)
      expect(rest).toEqual({ type: 'oversize', length: long.length })
      expect(hmac).toMatch(/^k:[0-9a-f]{32}$/)
      expect(sha256).not.toContain(hmac.slice(2))
    }))

  test('what two writers tore apart leaves too, every byte of it (T31)', () =>
    withRoot({}, async ({ source, write }) => {
      const torn = `${line(1).slice(0, 40)}${line(2)}not JSON\n\0\0\0\n${line(3).trimEnd()}${line(4)}`
      write(LOG, torn)
      const sink = new MemorySink()
      await run(source(), sink)
      const rows = [...sink.rows.values()].sort((a, b) => a.offset - b.offset)
      expect(rows.map(({ type, kind }) => (type === 'damaged' ? kind : type))).toEqual([
        'TORN',
        'user',
        'BAD_JSON',
        'NUL_RUN',
        'user',
        'user',
      ])
      const newlines = torn.split('\n').length - 1
      expect(rows.reduce((sum, { length }) => sum + length, 0)).toBe(Buffer.byteLength(torn) - newlines)
      expect(JSON.parse(contents(sink).find((one) => one.includes('BAD_JSON')) as string).text).toBe('not JSON')
    }))
})

describe('files', () => {
  test('files of every small size leave at once (T13)', () =>
    withRoot({}, async ({ source, write }) => {
      const sizes = [0, 1, 2, 10, 200, 500, 800, 1000, 1500, 1900]
      sizes.forEach((size, at) => {
        write(`projects/-p/bbbb2222-0000-4000-8000-0000000000${10 + at}.jsonl`, line(at, 'x'.repeat(size)))
      })
      const sink = new MemorySink()
      await run(source(), sink)
      expect(
        texts(sink)
          .map((text) => text.length)
          .sort((a, b) => a - b),
      ).toEqual(sizes)
    }))

  test('a log that moved goes on under the key it began with, also for a machine that lost its memory (T14)', () =>
    withRoot({ [LOG]: line(1) }, async ({ source, root, append }) => {
      for (const state of [new MemoryState(), undefined]) {
        const sink = new MemorySink()
        const to = `projects/-q/${ID}.jsonl`
        const more = () => ({ state: state ?? new MemoryState() })
        await run(source(), sink, more())
        move(root, LOG, to)
        await run(source(), sink, more())
        append(to, line(2))
        await run(source(), sink, more())
        expect(sink.rows.size).toBe(2)
        expect(new Set(Array.from(sink.rows.values(), ({ file, generation }) => `${generation} ${file}`)).size).toBe(1)
        move(root, to, LOG)
        writeFileSync(join(root, LOG), line(1))
      }
    }))

  test('a copy is a log of its own (T12)', () =>
    withRoot({ [LOG]: line(1) + line(2) }, async ({ source, root, append }) => {
      const sink = new MemorySink()
      const copy = 'projects/-p/cccc3333-0000-4000-8000-000000000003.jsonl'
      await run(source(), sink)
      cpSync(join(root, LOG), join(root, copy))
      append(LOG, line(3))
      append(copy, line(4))
      await run(source(), sink)
      expect(texts(sink).sort()).toEqual(['word 1', 'word 1', 'word 2', 'word 2', 'word 3', 'word 4'])
      expect(sink.rows.size).toBe(6)
    }))

  test.each([
    ['cut to nothing and written anew, shorter (T7)', line(9, 'y')],
    ['written anew, longer, with the same beginning (T8)', line(1) + line(8, 'other') + line(9)],
    ['edited in place, of the same size (T9)', line(1).replace('word', 'WORD') + line(2)],
  ])('a log that was %s begins a new generation, and the old one stays', (_, content) =>
    withRoot({ [LOG]: line(1) + line(2) }, async ({ source, write }) => {
      const sink = new MemorySink()
      const state = new MemoryState()
      await run(source(), sink, { state })
      write(LOG, content)
      await run(source(), sink, { state })
      const of = (generation: number) => [...sink.rows.values()].filter((row) => row.generation === generation)
      expect(of(1).length).toBe(2)
      expect(of(2).map(raw).join('')).toBe(content)
    }),
  )

  test('a log that was deleted and made again, many times in one second, is read each time (T11, T15)', () =>
    withRoot({}, async ({ source, write, root }) => {
      const sink = new MemorySink()
      const collector = collectorOf(source(), sink)
      await collector.start()
      for (let round = 0; round < 50; round++) {
        rmSync(join(root, LOG), { force: true })
        write(LOG, line(round))
        await collector.pass()
      }
      expect(texts(sink)).toEqual(Array.from({ length: 50 }, (_, round) => `word ${round}`))
    }))

  test('what vanishes while it is read is passed over, and what was delivered stays (T16)', () =>
    withRoot({ [LOG]: line(1), 'projects/-p/other.jsonl': line(2) }, async ({ source, root }) => {
      const sink = new MemorySink()
      const disk = source()
      const vanishing: Source = {
        *list() {
          yield* [...disk.list()]
          rmSync(join(root, LOG), { force: true })
        },
        read: disk.read,
      }
      await run(vanishing, sink)
      expect(texts(sink)).toEqual(['word 2'])
    }))

  test('an append is found although the time of the file says nothing (T28)', () =>
    withRoot({ [LOG]: line(1) }, async ({ source, root, append }) => {
      const sink = new MemorySink()
      const state = new MemoryState()
      const old = new Date('2026-01-01')
      utimesSync(join(root, LOG), old, old)
      await run(source(), sink, { state })
      append(LOG, line(2))
      utimesSync(join(root, LOG), old, old)
      await run(source(), sink, { state })
      expect(sink.rows.size).toBe(2)
    }))

  test('pipes, loops of links and links that lead away are left alone (T30)', () =>
    withRoot({ [LOG]: line(1), 'secret.jsonl': line(9) }, async ({ source, root, folder }) => {
      execFileSync('mkfifo', [join(root, 'projects/-p/pipe.jsonl')])
      symlinkSync('.', join(root, 'projects/-p/loop'))
      writeFileSync(join(folder, 'outside.jsonl'), line(8))
      symlinkSync(join(folder, 'outside.jsonl'), join(root, 'projects/-p/away.jsonl'))
      const sink = new MemorySink()
      await run(source(), sink)
      expect(texts(sink)).toEqual(['word 1'])
    }))

  test('a file that cannot be read does not keep the others, and costs nothing when nothing changes (T26)', () =>
    withRoot({ [LOG]: line(1), 'projects/-p/bad.jsonl': line(2) }, async ({ source }) => {
      const disk = source()
      let reads = 0
      const broken: Source = {
        list: () => disk.list(),
        read(entry, offset, into) {
          reads += 1
          return entry.path.endsWith('bad.jsonl') ? undefined : disk.read(entry, offset, into)
        },
      }
      const sink = new MemorySink()
      const collector = collectorOf(broken, sink)
      await collector.start()
      await collector.pass()
      expect(texts(sink)).toEqual(['word 1'])
      const before = reads
      await collector.pass()
      expect(reads - before).toBeLessThan(8)
    }))

  test('a log that Claude deleted before it was sent comes from the archive (T24)', () =>
    withRoot({ [LOG]: line(1) + line(2) }, async ({ root, folder }) => {
      const data = join(folder, 'data')
      await syncArchive(archiveFolder(data), { roots: [root], now: new Date(), progress: () => {} })
      rmSync(join(root, LOG))
      const open = withArchive(archiveFolder(data))
      const sink = new MemorySink()
      const source = open([root], { include: (path) => isCollectedPath(path, ALL) })
      await run(source, sink)
      source.close()
      expect(texts(sink)).toEqual(['word 1', 'word 2'])
    }))
})

describe('what is remembered', () => {
  test('a memory that is empty, NULs, half or nonsense: the sink knows how far it is (T18)', () =>
    withRoot({ [LOG]: line(1) + line(2) }, async ({ source, folder, append }) => {
      const state = new StateFile(join(folder, 'state'), 'memory:')
      const sink = new MemorySink()
      await run(source(), sink, { state })
      expect(statSync(state.path).mode & 0o777).toBe(0o600)
      const good = readFileSync(state.path)
      const damaged = [
        '',
        '\0\0\0\0',
        '{',
        '[]',
        '{"version":1}',
        good.subarray(0, good.length / 2),
        '{"version":"x","tracked":7}',
      ]
      for (const [at, bytes] of damaged.entries()) {
        writeFileSync(state.path, bytes)
        append(LOG, line(3 + at))
        await run(source(), sink, { state })
        expect(sink.rows.size).toBe(3 + at)
      }
      rmSync(state.path)
      await run(source(), sink, { state })
      expect(sink.rows.size).toBe(2 + damaged.length)
      expect(sink.batches.at(-1)?.rows.length, 'each time only what was new').toBe(1)
    }))

  test('a memory of a newer annals is left as it is, and nothing is sent (T19)', () =>
    withRoot({ [LOG]: line(1) }, async ({ source, folder }) => {
      const state = new StateFile(join(folder, 'state'), 'memory:')
      mkdirSync(dirname(state.path))
      writeFileSync(state.path, '{"version":2,"tracked":[]}')
      const sink = new MemorySink()
      await expect(run(source(), sink, { state })).rejects.toThrow(/newer annals/)
      expect(sink.batches).toEqual([])
      expect(readFileSync(state.path, 'utf8')).toBe('{"version":2,"tracked":[]}')
    }))

  test('a home that was copied to another machine: both are there, and the copies say so (T22)', () =>
    withRoot({ [LOG]: `${line(1)}${line(2)}{"type":"summary","summary":"a","leafUuid":"x"}\n` }, async ({ source }) => {
      for (const choices of [ALL, FACTS]) {
        const sink = new MemorySink()
        await run(source(choices), sink, { choices, id: 'machine-one' })
        await run(source(choices), sink, { choices, id: 'machine-two' })
        const hashes = (machine: string) =>
          [...sink.rows.values()].filter((row) => row.machine === machine).map((row) => row.contentHash)
        expect(hashes('machine-one').length).toBe(3)
        expect(hashes('machine-two')).toEqual(hashes('machine-one'))
        expect(new Set(hashes('machine-one')).size).toBe(3)
      }
    }))

  test('a sink that was emptied gets everything again', () =>
    withRoot({ [LOG]: line(1) + line(2) }, async ({ source }) => {
      const state = new MemoryState()
      await run(source(), new MemorySink(), { state })
      const fresh = new MemorySink()
      await run(source(), fresh, { state })
      expect(fresh.rows.size).toBe(2)
    }))
})

describe('a sink in trouble', () => {
  test('down for hours: nothing is dropped, one batch is held, waits grow and vary (T23)', () =>
    withRoot({ [LOG]: Array.from({ length: 60 }, (_, at) => line(at)).join('') }, async ({ source }) => {
      const sink = new MemorySink()
      sink.faults.push(...Array<'refuse'>(40).fill('refuse'))
      const clock = quickClock()
      const limits = { batchRows: 10 }
      const tried = new Set<string>()
      sink.onDeliver = ({ id }) => {
        if (sink.batches.length === 0) tried.add(id)
      }
      await run(source(), sink, { clock, limits, reading: { chunkBytes: 1024 } })
      expect(tried.size, 'the same batch, again and again').toBe(1)
      expect(texts(sink)).toEqual(Array.from({ length: 60 }, (_, at) => `word ${at}`))
      expect(clock.slept.slice(0, 4)).toEqual([375, 750, 1500, 3000])
      expect(Math.max(...clock.slept)).toBeLessThanOrEqual(5 * 60_000)
      expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(3_600_000)
    }))

  test('it is left alone for as long as it asks', () =>
    withRoot({ [LOG]: line(1) }, async ({ source }) => {
      const sink = new MemorySink()
      let isFirst = true
      sink.onDeliver = () => {
        if (isFirst) {
          isFirst = false
          throw new SinkTrouble('Too many.', { passes: true, retryAfterMs: 77_000 })
        }
      }
      const clock = quickClock()
      await run(source(), sink, { clock })
      expect(clock.slept).toEqual([77_000])
      expect(sink.rows.size).toBe(1)
    }))

  test('what does not pass by itself stops the run at once', () =>
    withRoot({ [LOG]: line(1) }, async ({ source }) => {
      const sink = new MemorySink()
      sink.onDeliver = () => {
        throw new SinkTrouble('The password is wrong.', { passes: false })
      }
      await expect(run(source(), sink)).rejects.toThrow(/password/)
    }))

  test('a poison record is kept here with the reason, and the rest goes through (T25)', () =>
    withRoot({ [LOG]: line(1) + line(2, 'poison') + line(3) }, async ({ source, folder }) => {
      const sink = new MemorySink()
      sink.isPoison = ({ content }: TeamRow) => Buffer.from(content).includes('poison')
      const state = new StateFile(join(folder, 'state'), 'memory:')
      const notices: string[] = []
      const done = await run(source(), sink, { state, onNotice: (notice) => notices.push(notice) })
      expect(done).toMatchObject({ records: 2, deadLetters: 1, lagBytes: 0 })
      expect(texts(sink)).toEqual(['word 1', 'word 3'])
      const [letter] = readFileSync(state.deadLetters, 'utf8').trim().split('\n')
      expect(JSON.parse(letter as string)).toMatchObject({ reason: 'It is poison.', offset: 2 ** 27 })
      expect(letter).toContain('poison')
      expect(state.buried()).toBe(1)
      expect(notices.join()).toContain('poison')
      expect(await run(source(), sink, { state })).toMatchObject({ batches: 0 })
    }))

  test('no clock decides about data: one that jumps by years changes nothing (T29)', () =>
    withRoot({ [LOG]: line(1) }, async ({ source, append }) => {
      const sink = new MemorySink()
      let now = 0
      const clock = { ...quickClock(), now: () => now }
      const collector = collectorOf(source(), sink, { clock })
      await collector.start()
      for (const jump of [86_400_000, -86_400_000 * 3650, 86_400_000 * 7300]) {
        now += jump
        append(LOG, line(jump))
        await collector.pass()
      }
      expect(sink.rows.size).toBe(4)
    }))

  test('told to stop while a delivery hangs, it stops, and nothing is lost or doubled (T32)', () =>
    withRoot({ [LOG]: Array.from({ length: 40 }, (_, at) => line(at)).join('') }, async ({ source }) => {
      for (let at = 0; at < 12; at++) {
        const sink = new MemorySink()
        const state = new MemoryState()
        const stop = new AbortController()
        const options = { state, limits: { batchRows: 4 }, reading: { chunkBytes: 512 } }
        let count = 0
        sink.onDeliver = async () => {
          if (count++ !== at) return
          stop.abort()
          // It hangs, and may be done all the same.
          if (at % 2 === 0) await new Promise(() => {})
        }
        const collector = collectorOf(source(), sink, options)
        await collector.start()
        await collector.pass(stop.signal).catch((error: unknown) => expect(error).toBeInstanceOf(SinkTrouble))
        sink.onDeliver = () => {}
        await run(source(), sink, { ...options, state: at % 3 === 0 ? new MemoryState() : state })
        expect(texts(sink)).toEqual(Array.from({ length: 40 }, (_, number) => `word ${number}`))
      }
    }))
})

describe('what is collected', () => {
  const AGENT = `projects/-p/${ID}/subagents/agent-a1.jsonl`
  const files = {
    [LOG]: line(1),
    [AGENT]: line(2, 'of the agent', { isSidechain: true, agentId: 'a1' }),
    [`projects/-p/${ID}/subagents/agent-a1.meta.json`]: '{"agentType":"Explore","description":"find the words"}',
    [`projects/-p/${ID}/subagents/agent-warm.jsonl`]: line(3, 'Warmup', { isSidechain: true, agentId: 'warm' }),
    [`projects/-p/${ID}/tool-results/t.txt`]: 'a long output',
    'projects/-p/memory/notes.md': 'remember this',
    'projects/-p/sessions-index.json': '{"entries":[]}',
    'history.jsonl': `{"display":"what I asked","project":"/home/ana/p","timestamp":1763114400000,"sessionId":"${ID}"}\n`,
    'stats-cache.json': '{"version":1}',
    [`todos/${ID}-agent-${ID}.json`]: '[{"content":"to do"}]',
    'plans/quiet-river.md': 'the plan',
    '.credentials.json': '{"token":"never"}',
    'settings.json': '{"env":{"KEY":"never"}}',
    'sessions/12.key': 'never',
    'shell-snapshots/s.sh': 'never',
    'debug/d.txt': 'never',
    'session-env/e.json': 'never',
    [`file-history/${ID}/x@v1`]: 'before the edit',
  }

  test('logs first, then the history, then documents; nothing secret, no warmup stub', () =>
    withRoot(files, async ({ source }) => {
      const sink = new MemorySink()
      await run(source(), sink)
      const kinds = sink.batches.flatMap(({ rows, documents }) => [...rows, ...documents].map(({ file }) => file))
      const names = kinds.map((file) => file.replace(/^root-\w+\//, ''))
      expect(names.slice(0, 3)).toEqual([LOG, AGENT, 'history.jsonl'])
      expect(names.slice(3).sort()).toEqual([
        `projects/-p/${ID}/subagents/agent-a1.meta.json`,
        'projects/-p/memory/notes.md',
        'projects/-p/sessions-index.json',
        'stats-cache.json',
        `todos/${ID}-agent-${ID}.json`,
      ])
      expect(JSON.stringify([...sink.rows.values(), ...sink.documents.values()])).not.toContain('never')
    }))

  test('tool results and checkpoints only when they are asked for', () =>
    withRoot(files, async ({ source }) => {
      const choices = { ...ALL, toolResults: true, checkpoints: true }
      const sink = new MemorySink()
      await run(source(choices), sink, { choices })
      const kinds = Array.from(sink.documents.values(), ({ kind }) => kind).sort()
      expect(kinds).toEqual(['checkpoint', 'memory', 'meta', 'sessions-index', 'stats-cache', 'todos', 'tool-result'])
    }))

  test('a warmup that goes on is a log like any other', () =>
    withRoot(files, async ({ source, append }) => {
      const sink = new MemorySink()
      const collector = collectorOf(source(), sink)
      await collector.start()
      await collector.pass()
      expect(texts(sink)).not.toContain('Warmup')
      append(`projects/-p/${ID}/subagents/agent-warm.jsonl`, line(4, 'and more', { agentId: 'warm' }))
      await collector.pass()
      expect(texts(sink)).toContain('Warmup')
    }))

  test('of facts alone, no word of a person leaves, nor a path', () =>
    withRoot(files, async ({ source, root }) => {
      const sink = new MemorySink()
      await run(source(FACTS), sink, { choices: { ...FACTS, paths: 'none', user: 'none' } })
      expect(sink.rows.size).toBe(3)
      const all = `${contents(sink).join('\n')}${JSON.stringify([...sink.batches])}`
      const documents = Array.from(sink.documents.values(), ({ content }) => Buffer.from(content).toString('utf8'))
      expect(documents).toEqual(['{"agentType":"Explore"}'])
      for (const word of ['word 1', 'of the agent', 'asked', 'remember', '/home', 'ana', root, '-p/', 'find the']) {
        expect(all).not.toContain(word)
      }
    }))

  test('a document leaves when its content changed, not when it was only touched', () =>
    withRoot(files, async ({ source, write, root }) => {
      const sink = new MemorySink()
      const state = new MemoryState()
      await run(source(), sink, { state })
      const now = new Date(Date.now() + 10_000)
      utimesSync(join(root, 'stats-cache.json'), now, now)
      expect(await run(source(), sink, { state })).toMatchObject({ batches: 0 })
      write('stats-cache.json', '{"version":2}')
      expect(await run(source(), sink, { state })).toMatchObject({ batches: 1 })
    }))

  test('a project says by a file that nothing of it leaves; a list does so for others', () =>
    withRoot({}, async ({ source, write, folder }) => {
      const [open, closed, listed] = ['open', 'closed/deep', 'listed'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ]
      for (const [at, cwd] of [open, closed, listed].entries()) {
        mkdirSync(cwd, { recursive: true })
        write(`projects/-${at}/aaaa1111-0000-4000-8000-00000000000${at}.jsonl`, line(at, `of ${at}`, { cwd }))
        write(`projects/-${at}/memory/m.md`, `memory of ${at}`)
      }
      write(
        'history.jsonl',
        [open, closed, listed].map((project, at) => `${JSON.stringify({ display: `of ${at}`, project })}\n`).join(''),
      )
      writeFileSync(join(folder, 'closed', '.annalsignore'), '')
      const sink = new MemorySink()
      const done = await run(source(), sink, { isIgnored: ignoreTest([listed], '/nowhere') })
      expect(done.lagBytes).toBe(0)
      expect(contents(sink).filter((one) => /of [12]/.test(one))).toEqual([])
      expect(sink.rows.size).toBe(2)
      expect(Array.from(sink.documents.values(), ({ content }) => String(Buffer.from(content)))).toEqual([
        'memory of 0',
      ])
    }))

  test('secrets are masked in whatever leaves', () => {
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    return withRoot(
      {
        [LOG]: `${line(1, `token ${secret}`)}${line(2).slice(0, 30)}${secret}\n`,
        'projects/-p/memory/m.md': `export GITHUB_TOKEN=${secret}`,
      },
      async ({ source }) => {
        const sink = new MemorySink()
        await run(source(), sink)
        expect(sink.rows.size).toBe(2)
        const all = [
          ...contents(sink),
          ...Array.from(sink.documents.values(), ({ content }) => String(Buffer.from(content))),
        ]
        expect(all.join('\n')).not.toContain(secret)
        expect(all.join('\n')).toContain('[REDACTED:github-token:')
      },
    )
  })

  test('purged sessions are told before anything else is sent, once (X13)', () =>
    withRoot(
      { [LOG]: line(1), 'projects/-p/bbbb2222-0000-4000-8000-000000000002.jsonl': line(2) },
      async ({ source }) => {
        const sink = new MemorySink()
        const state = new MemoryState()
        await run(source(), sink, { state })
        const tombstones = () => [tombstoneOf(ID)]
        await run(source(), sink, { state, tombstones })
        expect(sink.batches.at(-1)).toMatchObject({ tombstones: tombstones(), rows: [] })
        expect(texts(sink)).toEqual(['word 2'])
        const count = sink.batches.length
        await run(source(), sink, { state, tombstones })
        expect(sink.batches.length).toBe(count)
      },
    ))

  test('only what changed is looked at when that is known; anything new has everything looked at (T27)', () =>
    withRoot(files, async ({ source, append, write, root }) => {
      const sink = new MemorySink()
      const disk = source()
      let lists = 0
      const counted: Source = {
        list() {
          lists += 1
          return disk.list()
        },
        read: disk.read,
      }
      const collector = collectorOf(counted, sink)
      await collector.start()
      await collector.pass()
      const before = lists
      append(LOG, line(5, 'appended'))
      await collector.pass(undefined, new Set([join(root, LOG)]))
      expect([lists - before, texts(sink).includes('appended')]).toEqual([0, true])
      const fresh = 'projects/-p/dddd4444-0000-4000-8000-000000000004.jsonl'
      write(fresh, line(6, 'fresh'))
      await collector.pass(undefined, new Set([join(root, fresh)]))
      expect([lists - before, texts(sink).includes('fresh')]).toEqual([1, true])
    }))
})

function move(root: string, from: string, to: string): void {
  mkdirSync(dirname(join(root, to)), { recursive: true })
  renameSync(join(root, from), join(root, to))
  expect(existsSync(join(root, from))).toBe(false)
}

function raw({ content }: TeamRow): string {
  return `${Buffer.from(content).toString('utf8')}\n`
}

test('a secret that a folder is named after leaves in no column, name or mark', () => {
  const secret = `AKIA${'QYLPMN5HTRK2WXZB'}`
  const path = `projects/-home-ana-${secret}/${ID}.jsonl`
  return withRoot({ [path]: line(1, 'hello', { cwd: `/home/ana/${secret}` }) }, async (made) => {
    const sink = new MemorySink()
    const source = made.source(ALL)
    const collector = collectorOf(source, sink)
    await collector.start()
    await collector.pass()
    source.close()
    const sent = sink.batches.map(({ rows, marks }) =>
      JSON.stringify([marks, rows.map((row) => ({ ...row, content: Buffer.from(row.content).toString('utf8') }))]),
    )
    expect(sink.rows.size).toBe(1)
    expect(sent.join('\n')).not.toContain(secret)
    expect([...sink.rows.values()][0]?.project).toMatch(/^\/home\/ana\/\[REDACTED:/)
  })
})
