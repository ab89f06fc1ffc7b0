import { EventEmitter } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Watching, type WatchOptions, watchLogs } from './watch.ts'

let root = ''
let watching: Watching | undefined
let batches: string[][] = []
let notices: string[] = []

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'annals-watch-')))
  batches = []
  notices = []
  put('projects/-a/s.jsonl')
})

afterEach(async () => {
  await watching?.close()
  watching = undefined
  vi.doUnmock('chokidar')
  rmSync(root, { recursive: true, force: true })
})

function put(path: string, text = 'x\n'): string {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  return join(root, path)
}

/** Watches with a clock that stands still, so that a slow machine does not make the sweeps rarer. */
function start(options: WatchOptions): void {
  const gather = (paths: Set<string>) => batches.push([...paths].map((path) => path.slice(root.length + 1)).sort())
  watching = watchLogs([root], gather, {
    sweepMs: 5,
    debounceMs: 5,
    now: () => 0,
    onNotice: (message) => notices.push(message),
    ...options,
  })
}

/** A busy machine may need long for little. */
const PATIENT = { timeout: 20_000 }

/** What was told so far, once it is all of what is expected. */
async function told(...paths: string[]): Promise<void> {
  await vi.waitFor(() => expect([...new Set(batches.flat())].sort()).toEqual([...paths].sort()), PATIENT)
  batches = []
}

const sweepOnly = { useWatcher: false }

test('T27: without the watcher, tells what was appended, made, moved and removed', async () => {
  start(sweepOnly)
  appendFileSync(join(root, 'projects/-a/s.jsonl'), 'more\n')
  await told('projects/-a/s.jsonl')
  put('projects/-b/t/subagents/agent-1.jsonl')
  put('projects/-b/t/subagents/agent-1.meta.json', '{}')
  put('history.jsonl')
  await told('history.jsonl', 'projects/-b/t/subagents/agent-1.jsonl', 'projects/-b/t/subagents/agent-1.meta.json')
  renameSync(join(root, 'projects/-a/s.jsonl'), join(root, 'projects/-b/s.jsonl'))
  await told('projects/-a/s.jsonl', 'projects/-b/s.jsonl')
  rmSync(join(root, 'projects'), { recursive: true })
  await told(
    'projects/-b/s.jsonl',
    'projects/-b/t/subagents/agent-1.jsonl',
    'projects/-b/t/subagents/agent-1.meta.json',
  )
})

test('tells nothing of what was there before, and nothing of other files', async () => {
  start(sweepOnly)
  put('settings.json')
  put('sessions/1.json')
  put('projects/-a/memory/MEMORY.md')
  put('projects/-a/last.jsonl')
  await told('projects/-a/last.jsonl')
})

test('T28: tells an append although the time was set back', async () => {
  const path = join(root, 'projects/-a/s.jsonl')
  utimesSync(path, 1000, 1000)
  start(sweepOnly)
  appendFileSync(path, 'more\n')
  utimesSync(path, 1000, 1000)
  await told('projects/-a/s.jsonl')
})

test('tells changes together, and each once', async () => {
  start({ ...sweepOnly, debounceMs: 100 })
  for (let i = 0; i < 20; i++) put(`projects/-a/${i}.jsonl`)
  await vi.waitFor(() => expect(batches.flat()).toHaveLength(20), PATIENT)
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(batches.flat()).toHaveLength(20)
  expect(batches.length).toBeLessThan(20)
})

test('the watcher alone tells a change before any sweep', async () => {
  start({ sweepMs: 3_600_000 })
  // The watcher needs a moment to start, so the file is written until it is noticed.
  await vi.waitFor(
    () => {
      appendFileSync(join(root, 'projects/-a/s.jsonl'), 'more\n')
      expect(batches.flat()).toContain('projects/-a/s.jsonl')
    },
    { ...PATIENT, interval: 50 },
  )
  expect(notices).toEqual([])
})

test.each(['ENOSPC', 'EMFILE'])('T27: after %s from the watcher, the sweep goes on alone', async (code) => {
  const close = vi.fn(async () => {})
  const watcher = Object.assign(new EventEmitter(), { close })
  vi.doMock('chokidar', () => ({ watch: () => watcher }))
  start({})
  await vi.waitFor(() => expect(watcher.listenerCount('error')).toBe(1), PATIENT)
  watcher.emit('error', Object.assign(new Error('no'), { code }))
  watcher.emit('error', Object.assign(new Error('no'), { code }))
  expect(notices).toHaveLength(1)
  expect(notices[0]).toMatch(
    new RegExp(`^The file watcher stopped \\(${code}, .*\\); changes are found by looking every few seconds\\.$`),
  )
  expect(close).toHaveBeenCalled()
  appendFileSync(join(root, 'projects/-a/s.jsonl'), 'more\n')
  await told('projects/-a/s.jsonl')
})

test('T27: goes on when the watcher cannot even be started', async () => {
  vi.doMock('chokidar', () => ({
    watch: () => {
      throw new Error('not here')
    },
  }))
  start({})
  appendFileSync(join(root, 'projects/-a/s.jsonl'), 'more\n')
  await told('projects/-a/s.jsonl')
  await vi.waitFor(() => expect(notices).toHaveLength(1), PATIENT)
})

test('a sweep that takes long makes the next one later', () => {
  vi.useFakeTimers()
  try {
    let time = 0
    start({ ...sweepOnly, sweepMs: 2000, debounceMs: 0, now: () => (time += 25) })
    const path = join(root, 'projects/-a/s.jsonl')
    vi.advanceTimersByTime(2000)
    appendFileSync(path, 'more\n')
    // The sweep above took 25 ms by that clock, so the next comes 5,000 ms later.
    vi.advanceTimersByTime(4999)
    expect(batches).toEqual([])
    vi.advanceTimersByTime(2)
    expect(batches).toEqual([['projects/-a/s.jsonl']])
  } finally {
    vi.useRealTimers()
  }
})

test('sweeps become rarer while the watcher tells everything, and come as often as before once it does not', async () => {
  const watcher = Object.assign(new EventEmitter(), { close: async () => {} })
  vi.doMock('chokidar', () => ({ watch: () => watcher }))
  await import('chokidar')
  vi.useFakeTimers()
  try {
    start({ sweepMs: 2000, debounceMs: 0 })
    await vi.advanceTimersByTimeAsync(0)
    expect(watcher.listenerCount('ready')).toBe(1)
    const path = join(root, 'projects/-a/s.jsonl')
    /** How long it takes until a change is told that the watcher does not tell. */
    const toldAfter = async () => {
      appendFileSync(path, 'more\n')
      batches = []
      for (let ms = 500; ; ms += 500) {
        await vi.advanceTimersByTimeAsync(500)
        if (batches.length > 0) return ms
      }
    }
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await toldAfter(), 'before it is ready').toBeLessThanOrEqual(2500)
    watcher.emit('ready')
    // Sweeps after 2, 4, 8 and 16 seconds, then every 30.
    await vi.advanceTimersByTimeAsync(2000 + 4000 + 8000 + 16_000 + 30_000)
    expect(await toldAfter(), 'after a quiet minute').toBeGreaterThan(25_000)
    expect(await toldAfter(), 'it had missed one').toBeLessThanOrEqual(2500)
    await vi.advanceTimersByTimeAsync(90_000)
    watcher.emit('error', Object.assign(new Error('no'), { code: 'ENOSPC' }))
    expect(await toldAfter(), 'after it was given up').toBeLessThanOrEqual(2500)
    await vi.advanceTimersByTimeAsync(90_000)
    expect(await toldAfter(), 'and ever after').toBeLessThanOrEqual(2500)
  } finally {
    vi.useRealTimers()
  }
})

test('tells nothing after it was closed', async () => {
  start({ debounceMs: 30 })
  appendFileSync(join(root, 'projects/-a/s.jsonl'), 'more\n')
  await watching?.close()
  await new Promise((resolve) => setTimeout(resolve, 80))
  expect(batches).toEqual([])
})

test('watches roots that do not exist yet', async () => {
  rmSync(join(root, 'projects'), { recursive: true })
  start({})
  put('projects/-new/s.jsonl')
  await told('projects/-new/s.jsonl')
})
