import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Failure } from '../src/core/failure.ts'
import { type DiskSource, diskSource } from '../src/disk/disk-source.ts'
import { Library } from '../src/disk/library.ts'
import { readHead, readTail } from '../src/disk/page.ts'
import type { SourceEntry } from '../src/disk/source.ts'
import { bytesOf } from '../src/disk/source-file.ts'
import type { Context } from '../src/history/context.ts'
import { ingestFacts } from '../src/index/ingest.ts'
import { ingestTexts } from '../src/index/ingest-text.ts'
import { openIndex } from '../src/index/open.ts'
import { searchDocs } from '../src/index/search/search.ts'
import { loadAll, opLoaders } from '../src/ops/index.ts'
import type { Op } from '../src/ops/op.ts'
import { log, root as newRoot } from '../src/testing/index.ts'
import { temporaryFolder } from './cli/annals.ts'
import { collectorOf } from './collector/made-collector.ts'
import { MemorySink } from './collector/memory-sink.ts'

const ops = await loadAll(opLoaders)

const folder = temporaryFolder()
const base = join(folder.path, 'base')
const ONE = 'aaaaaaaa-0000-4000-8000-000000000001'
const TWO = 'aaaaaaaa-0000-4000-8000-000000000002'
const LOG = `projects/-home-ana-one/${ONE}.jsonl`
let places = 0
let fired = 0

beforeAll(() => {
  const logs = [ONE, TWO].map((sessionId, n) => {
    const made = log({ cwd: '/home/ana/one', seed: `changing ${n}`, sessionId })
    for (let turn = 0; turn < 12; turn++) {
      made
        .user(`the question ${turn} of ${n}`)
        .tool('Bash', { command: 'ls' }, { output: 'x'.repeat(2000) })
        .assistant('the answer')
    }
    return made
  })
  newRoot()
    .add(...logs)
    .write(base)
  mkdirSync(join(base, 'plans'))
  writeFileSync(join(base, 'plans/a-plan.md'), `# The plan\n${'word '.repeat(500)}`)
})
afterAll(() => {
  folder.remove()
})

function newRootFolder(): string {
  const root = join(folder.path, `root-${places++}`)
  cpSync(base, root, { recursive: true })
  return root
}

/** What may happen to a log between the moment it is listed and the moment it is read. */
const CHANGES: Readonly<Record<string, (path: string) => void>> = {
  'shrinks to half': (path) => truncateSync(path, readFileSync(path).length >> 1),
  'is emptied': (path) => truncateSync(path, 0),
  grows: (path) => appendFileSync(path, readFileSync(path).subarray(0, 9000)),
  'is written anew': (path) => writeFileSync(path, readFileSync(path).subarray(5000)),
  vanishes: (path) => rmSync(path),
}

/** The disk, but the log changes just before it is read for the n-th time. */
function changing(change: (path: string) => void, when: number, log: string): typeof diskSource {
  let reads = 0
  return (roots, options) => {
    const disk = diskSource(roots, options)
    const read = (entry: SourceEntry, offset: number, into: Uint8Array) => {
      if (entry.path === log && reads++ === when) {
        change(entry.path)
        fired += 1
      }
      return disk.read(entry, offset, into)
    }
    return { ...disk, read } satisfies DiskSource
  }
}

function contextOf(root: string, open: typeof diskSource, hasCache: boolean): Context {
  const state = `${root}-state`
  const library = new Library({ roots: [root], open })
  const cacheDir = hasCache ? state : undefined
  const own = { cwd: folder.path, home: folder.path, configDir: state, currentSession: undefined }
  return { library, cacheDir, now: new Date('2026-11-15T12:00:00Z'), ...own, warn: () => {}, progress: () => {} }
}

const ofSession = [() => ({ session: ONE })]
const INPUTS: Readonly<Record<string, readonly (() => object)[]>> = {
  search: [() => ({ query: ['question'] }), () => ({ query: ['question'], exact: true })],
  find: [() => ({ session: ONE, query: 'question' })],
  ...Object.fromEntries(
    ['show', 'outline', 'timeline', 'read', 'tail', 'tree', 'context'].map((name) => [name, ofSession]),
  ),
  receipt: [() => ({ what: ONE })],
  resume: [() => ({ session: [ONE], print: true })],
  redact: [() => ({ action: 'scan' })],
  edit: [() => ({ action: 'prune', what: [ONE], 'dry-run': true })],
  rename: [() => ({ session: ONE, title: 'x', 'dry-run': true })],
  tag: [() => ({ session: ONE, tag: 'x', 'dry-run': true })],
  move: [() => ({ session: ONE, to: folder.path, 'dry-run': true })],
  star: ofSession,
  note: [() => ({ session: ONE, text: 'x' })],
  blame: [() => ({ file: '/home/ana/one/a.ts' })],
  export: ['md', 'jsonl', 'csv', 'steps', 'bundle'].map((to) => () => ({
    to,
    all: true,
    out: `${join(folder.path, `out-${places++}`)}/`,
  })),
}
/** What reads no log, changes something of ours, or is another's. */
const OTHERS = new Set(['archive', 'collect', 'doctor', 'import', 'index', 'keep', 'purge', 'team'])

describe('a log that changes while it is read stops nothing', () => {
  for (const op of Object.values(ops) as readonly Op[]) {
    if (OTHERS.has(op.name)) continue
    test(op.name, { timeout: 120_000 }, async () => {
      const wrong: string[] = []
      for (const [name, change] of Object.entries(CHANGES)) {
        for (const when of [0, 1, 3]) {
          for (const input of INPUTS[op.name] ?? [() => ({})]) {
            const root = newRootFolder()
            const context = contextOf(root, changing(change, when, join(root, LOG)), when > 0)
            const trouble = await troubleOf(op, context, input())
            if (trouble) wrong.push(`${op.name}: a log ${name} at read ${when}: ${trouble}`)
            rmSync(root, { recursive: true })
          }
        }
      }
      expect(wrong.slice(0, 8).join('\n')).toBe('')
    })
  }

  test('so many times', () => {
    console.log(`changing logs: ${fired} changes happened between listing and reading`)
    expect(fired).toBeGreaterThan(0)
  })
})

async function troubleOf(op: Op, context: Context, input: object): Promise<string | undefined> {
  try {
    const result = (await op.run(context, input as Record<string, unknown>)) as { readonly sessions?: number }
    // The other log is there whatever becomes of this one.
    return op.name === 'export' && result.sessions === 0 ? 'the other is lost' : undefined
  } catch (error) {
    return error instanceof Failure ? undefined : `${error instanceof Error ? error.stack : error}`.slice(0, 400)
  } finally {
    context.library.close()
  }
}

describe('what is there is read, whatever was listed', () => {
  const entryOf = (root: string, source: DiskSource) =>
    [...source.list()].find(({ path }) => path === join(root, LOG)) as SourceEntry
  const limit = { records: 5, bytes: 1 << 20 }

  test('the last records of a log that has shrunk are its last, and each is there once', () => {
    const root = newRootFolder()
    const source = diskSource([root])
    const entry = entryOf(root, source)
    const lines = readFileSync(entry.path, 'utf8').split('\n').slice(0, 9)
    writeFileSync(entry.path, `${lines.join('\n')}\n`)
    const many = readTail(source, { ...entry, sizeBytes: 300_000 }, { records: 100, bytes: 1 << 20 })
    expect(many.records.map(({ raw }) => raw)).toEqual(lines.map((line) => JSON.parse(line)))
    const last = readTail(source, entry, limit)
    expect(last.records.map(({ raw }) => raw)).toEqual(lines.slice(-5).map((line) => JSON.parse(line)))
    expect(last.atEnd).toBe(true)
    source.close()
  })

  test('the first records of one that has shrunk reach its end, so that who pages on comes to one', () => {
    const root = newRootFolder()
    const source = diskSource([root])
    const entry = entryOf(root, source)
    truncateSync(entry.path, 0)
    expect(readHead(source, entry, limit)).toMatchObject({ records: [], atEnd: true })
    source.close()
  })

  test('a file beside the logs that has shrunk or grown is read as it is', () => {
    for (const text of ['short', 'long '.repeat(2000)]) {
      const root = newRootFolder()
      const source = diskSource([root], { include: (path) => path.startsWith('plans/') })
      const [entry] = [...source.list()] as [SourceEntry]
      writeFileSync(entry.path, text)
      expect(bytesOf({ source, entry, parts: [] }, [])?.toString()).toBe(text)
      source.close()
    }
  })

  test('a bundle holds its log, or there is none', async () => {
    for (const when of [0, 1, 2, 3, 4, 5, 6]) {
      const root = newRootFolder()
      let reads = 0
      const open: typeof diskSource = (roots, options) => {
        const disk = diskSource(roots, options)
        const isGone = (path: string) => path === join(root, LOG) && reads++ >= when
        return { ...disk, read: (entry, at, into) => (isGone(entry.path) ? undefined : disk.read(entry, at, into)) }
      }
      const out = join(folder.path, `bundle-${when}.annals.gz`)
      const context = contextOf(root, open, false)
      try {
        await ops.export.run(context, { sessions: [ONE], to: 'bundle', out })
        expect(gunzipSync(readFileSync(out)).toString(), `gone at read ${when}`).toContain('the question 11 of 0')
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        expect(existsSync(out)).toBe(false)
      } finally {
        context.library.close()
      }
    }
  })
})

describe('the index and the collector come to what the log is at last', () => {
  for (const [name, change] of Object.entries(CHANGES)) {
    test(`where it ${name}`, async () => {
      for (const when of [0, 1, 2]) {
        const root = newRootFolder()
        const path = join(root, LOG)
        const indexed = (state: string | undefined, source: DiskSource) => {
          const { database } = openIndex(state, [root])
          ingestFacts(database, source)
          ingestTexts(database, source)
          const { found } = searchDocs(database, { match: '"question"' }, {}, { sort: 'time', limit: 1000 })
          database.close()
          source.close()
          return found.flatMap(({ log, offset }) => (log.state === 'lost' ? [] : [`${log.path} ${offset}`])).sort()
        }
        indexed(`${root}-state`, changing(change, when, path)([root], {}))
        const settled = indexed(`${root}-state`, diskSource([root]))
        expect(settled, `at read ${when}`).toEqual(indexed(undefined, diskSource([root])))
        rmSync(root, { recursive: true })
      }
    })

    test(`and what is collected where it ${name}`, async () => {
      for (const when of [0, 1, 2]) {
        const root = newRootFolder()
        const path = join(root, LOG)
        const source = changing(change, when, path)([root], {})
        const sink = new MemorySink()
        const collector = collectorOf(source, sink)
        await collector.start()
        await collector.pass()
        await collector.pass()
        const lines = name === 'vanishes' ? [] : readFileSync(path, 'utf8').split('\n').slice(0, -1)
        const rows = [...sink.rows.values()].filter(({ file }) => file.endsWith(`${ONE}.jsonl`))
        const newest = Math.max(...rows.map(({ generation }) => generation), 0)
        const offsets = rows.filter(({ generation }) => generation === newest).map(({ offset }) => offset)
        // By their lines: bytes would tell how long each record is.
        const expected = lines.map((_, at) => at * 2 ** 27)
        // Every whole line of what the log is now, in its newest generation; of one that is gone, what was read of it.
        for (const one of name === 'vanishes' || name === 'is emptied' ? [] : expected) expect(offsets).toContain(one)
        source.close()
        rmSync(root, { recursive: true })
      }
    })
  }
})
