import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from './cli/annals.ts'
import { rowsIn } from './collector/folder-place.ts'
import { ID, LOG, line } from './collector/made-root.ts'

const cli = join(import.meta.dirname, '../dist/cli.cjs')
const folder = temporaryFolder()
const root = join(folder.path, 'root')
const base = join(folder.path, 'base')
const hasStrace = spawnSync('strace', ['-V']).status === 0
const mayTrace = hasStrace && spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
const without = mayTrace
  ? ''
  : hasStrace
    ? ' (skipped: strace may not trace here)'
    : ' (skipped: strace is not installed)'
const OTHER = 'projects/-q/bbbb2222-0000-4000-8000-000000000002.jsonl'

/** Calls that change something on the disk, and at which of them a process is killed: all by ANNALS_CRASH=all. */
const POINTS: Readonly<Record<string, readonly number[]>> = {
  pwrite64: [1, 2, 3, 4, 5, 6],
  fsync: [1, 2, 3, 4, 6],
  rename: [1, 2, 3, 4, 5],
  mkdir: [1, 2],
  ftruncate: [1],
}
const points = (call: string) =>
  process.env.ANNALS_CRASH === 'all' ? Array.from({ length: 60 }, (_, i) => i + 1) : (POINTS[call] ?? [])
let places = 0

beforeAll(() => {
  write(LOG, line(1) + line(2))
  write('projects/-p/memory/m.md', 'first')
  const { status, stderr } = collect(base)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  // Digits that cannot be packed: its part is far larger than the one before, so these two are never merged.
  const digits = Array.from({ length: 3_000 }, (_, at) => createHash('sha256').update(`${at}`).digest('hex')).join('')
  appendFileSync(join(root, LOG), line(3, digits) + line(90_000))
  write(OTHER, line(4) + line(5))
  write('projects/-p/memory/m.md', 'second')
  write('history.jsonl', `{"display":"asked","timestamp":1763114400000,"sessionId":"${ID}"}\n`)
})
afterAll(folder.remove)

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

/** Our memory and the folder, as they were before the run that is to be killed. */
function newPlace(): string {
  const place = join(folder.path, `place-${places++}`)
  cpSync(base, place, { recursive: true })
  // It is meant to be the same machine, not one whose home was copied.
  const own = join(place, 'home', 'collect')
  const home = { path: realpathSync(own), inode: String(statSync(own, { bigint: true }).ino) }
  const kept = JSON.parse(readFileSync(join(own, 'machine.json'), 'utf8'))
  writeFileSync(join(own, 'machine.json'), JSON.stringify({ ...kept, home }), { mode: 0o600 })
  return place
}

const envOf = (place: string) => ({
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  ANNALS_HOME: join(place, 'home'),
})
const argsOf = (place: string, more: readonly string[] = [], from = root) => [
  ...[cli, 'collect', '--to', `folder:${join(place, 'out')}`, '--root', from, '--json', ...more],
]

function collect(place: string, strace: readonly string[] = [], from = root) {
  const [program, ...rest] = [...strace, process.execPath, ...argsOf(place, [], from)] as [string, ...string[]]
  return spawnSync(program, rest, { encoding: 'utf8', env: envOf(place) })
}

const killed = (inject: string) => [
  'strace',
  '-f',
  '-o',
  '/dev/null',
  '-e',
  `trace=${inject.split(':')[0]}`,
  '-e',
  `inject=${inject}`,
]

/** What a reader finds: each row by its key, and its content. */
async function seen(place: string): Promise<readonly string[]> {
  const rows = await rowsIn(join(place, 'out'))
  return rows.map((row) => `${row.file} ${row.generation} ${row.offset} ${Buffer.from(row.content)}`).sort()
}

describe('a collector that is killed loses and doubles nothing (T4)', () => {
  test.skipIf(!mayTrace)(
    `at any of its writes${without}`,
    async () => {
      const whole = newPlace()
      expect(collect(whole).status).toBe(0)
      const expected = await seen(whole)
      expect(expected.length).toBe(7)
      const fired = new Map<string, number>()
      for (const call of Object.keys(POINTS)) {
        for (const point of points(call)) {
          const place = newPlace()
          const { status, signal } = collect(place, killed(`${call}:signal=KILL:when=${point}`))
          if (signal === 'SIGKILL') fired.set(call, (fired.get(call) ?? 0) + 1)
          const partly = await seen(place)
          expect(new Set(partly).size, `doubled after ${call} ${point}`).toBe(partly.length)
          // Every second time what it remembers is lost too.
          if (point % 2 === 0) for (const name of remembered(place)) rmSync(name)
          expect(collect(place).status).toBe(0)
          expect(await seen(place), `killed at ${call} ${point}`).toEqual(expected)
          expect(leftovers(place), `killed at ${call} ${point}`).toEqual([])
          rmSync(place, { recursive: true })
          if (status === 0) break
        }
      }
      const total = [...fired.values()].reduce((sum, count) => sum + count, 0)
      console.log(
        `collector killed at ${total} calls: ${[...fired].map(([call, count]) => `${call} ${count}`).join(', ')}`,
      )
      // Where nothing is killed, nothing was shown.
      expect(fired.get('pwrite64') ?? 0).toBeGreaterThan(0)
      expect(fired.get('fsync') ?? 0).toBeGreaterThan(0)
      expect(fired.get('rename') ?? 0).toBeGreaterThan(0)
    },
    1_800_000,
  )

  test('at any time, while it stays', async () => {
    const whole = newPlace()
    collect(whole)
    const expected = await seen(whole)
    let fired = 0
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
      const place = newPlace()
      const child = spawn(process.execPath, argsOf(place, ['--follow']), {
        env: envOf(place),
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
      if (signal === 'SIGTERM') await new Promise((resolve) => child.stdout.once('data', resolve))
      child.kill(signal)
      await ended
      // Who is told to stop ends by itself, with 130.
      if (child.signalCode === signal || child.exitCode === 130) fired += 1
      expect(collect(place).status).toBe(0)
      expect(await seen(place)).toEqual(expected)
    }
    console.log(`collector that stays: ${fired} of 3 signals ended it`)
    expect(fired).toBe(3)
  }, 300_000)
})

function holderOf(place: string): number | undefined {
  try {
    return JSON.parse(readFileSync(join(place, 'home', 'collect', 'lock'), 'utf8')).pid
  } catch {
    return undefined
  }
}

/** The memory of destinations; the name of the machine stays. */
function remembered(place: string): readonly string[] {
  const own = join(place, 'home', 'collect')
  return readdirSync(own)
    .filter((name) => /^[0-9a-f]{16}\.json$/.test(name))
    .map((name) => join(own, name))
}

function leftovers(place: string): readonly string[] {
  return readdirSync(join(place, 'out'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tmp$|\.aside\/./.test(name),
  )
}

/** The calls that change something on the disk, of a run of their own. */
function tracedCalls(place: string, from = root): readonly string[] {
  const trace = join(folder.path, 'trace')
  const strace = ['strace', '-f', '-y', '-s', '4096', '-o', trace, '-e', 'trace=fsync,rename,unlink']
  expect(collect(place, strace, from).status).toBe(0)
  return readFileSync(trace, 'utf8').split('\n')
}

const placesOf = (calls: readonly string[], isMeant: (call: string) => boolean) =>
  calls.flatMap((call, at) => (isMeant(call) ? [at] : []))
const isFolderSync = (call: string) => call.includes('fsync(') && /\/out\/records\/day=[^/]+\/source=[^/>]+>/.test(call)
const isMemory = (call: string) => call.includes('rename(') && /collect\/[0-9a-f]{16}\.json"/.test(call)

test.skipIf(!mayTrace)(`what counts is on the disk before it counts, and is remembered last (T20)${without}`, () => {
  const calls = tracedCalls(newPlace())
  const at = (isMeant: (call: string) => boolean) => placesOf(calls, isMeant)
  const journal = at((call) => call.includes('fsync(') && /_annals\/[0-9a-f-]+\.jsonl>/.test(call))
  const aside = at((call) => call.includes('fsync(') && /\.aside\/records[^>]*\.tmp>/.test(call))
  const placed = at((call) => call.includes('rename(') && /, "[^"]*\/out\/records\/[^"]*\.gz"/.test(call))
  const folders = at(isFolderSync)
  const memory = at(isMemory)
  expect(at((call) => call.includes('merged'))).toEqual([])
  expect(aside.length).toBeGreaterThan(1)
  expect(placed.length).toBe(aside.length)
  expect(Math.max(...aside)).toBeLessThan(journal[0] as number)
  expect(journal[0]).toBeLessThan(Math.min(...placed))
  expect(Math.max(...placed)).toBeLessThan(Math.max(...folders))
  // That we come is remembered first, what was delivered last.
  expect(memory[0]).toBeLessThan(journal[0] as number)
  expect(Math.max(...folders)).toBeLessThan(memory.at(-1) as number)
})

test.skipIf(!mayTrace)(
  `small parts are merged when all is remembered; none goes before the one that holds its rows is on the disk${without}`,
  () => {
    const [place, from] = [join(folder.path, 'merging'), join(folder.path, 'small')]
    mkdirSync(dirname(join(from, LOG)), { recursive: true })
    writeFileSync(join(from, LOG), line(1) + line(2))
    expect(collect(place, [], from).status).toBe(0)
    appendFileSync(join(from, LOG), line(3) + line(4))
    const calls = tracedCalls(place, from)
    const last = (isMeant: (call: string) => boolean) => placesOf(calls, isMeant).at(-1) ?? -1
    const order = [
      last(isMemory),
      last((call) => call.includes('fsync(') && call.includes('.aside/merged.jsonl.gz')),
      last((call) => call.includes('rename(') && call.includes('.merge.json"')),
      last((call) => call.includes('rename(') && call.includes('.aside/merged.jsonl.gz')),
      last(isFolderSync),
      placesOf(calls, (call) => call.includes('unlink(') && /\/out\/records\/[^"]*\.gz"/.test(call))[0] ?? -1,
    ]
    expect(order).not.toContain(-1)
    expect(order).toEqual([...order].sort((a, b) => a - b))
  },
)

test.skipIf(!mayTrace)(
  `a disk that is full, closed or broken gives a sentence, and nothing is lost${without}`,
  async () => {
    const whole = newPlace()
    collect(whole)
    let fired = 0
    for (const fault of ['pwrite64:error=ENOSPC:when=2+', 'fsync:error=EIO:when=2+', 'rename:error=EACCES:when=1+']) {
      const place = newPlace()
      const { status, stderr } = collect(place, killed(fault))
      expect(status, fault).toBe(2)
      fired += 1
      expect(stderr, fault).toMatch(/\.\n/)
      expect(stderr, fault).not.toMatch(/\n\s+at |This is a bug/)
      expect(collect(place).status, fault).toBe(0)
      expect(await seen(place), fault).toEqual(await seen(whole))
    }
    console.log(`collector on a broken disk: ${fired} of 3 faults fired`)
    expect(fired).toBe(3)
  },
  300_000,
)

test('of two on one machine one does the work, and the other says so (T21)', async () => {
  const place = newPlace()
  const child = spawn(process.execPath, argsOf(place, ['--follow']), {
    env: envOf(place),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    // The lock is let go after the first round, and taken again by who stays.
    await new Promise((resolve) => child.stdout.once('data', resolve))
    while (holderOf(place) !== child.pid) await new Promise((resolve) => setTimeout(resolve, 20))
    const second = collect(place)
    expect(second.status).toBe(0)
    expect(JSON.parse(second.stdout)).toMatchObject({ busy: true, records: 0 })
    expect(JSON.parse(second.stdout).message).toMatch(/Another annals/)
    const both = spawnSync(process.execPath, argsOf(place, ['--follow']), { encoding: 'utf8', env: envOf(place) })
    expect(both.status).toBe(0)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
  expect(JSON.parse(collect(place).stdout)).toMatchObject({ busy: false })
}, 120_000)

test('who stays delivers what is written, and stops when it is told to', async () => {
  const place = newPlace()
  const child = spawn(process.execPath, argsOf(place, ['--follow']), {
    env: envOf(place),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const log = 'projects/-f/cccc3333-0000-4000-8000-000000000003.jsonl'
  const holds = async (text: string) => (await seen(place)).some((one) => one.includes(text))
  const until = async (text: string) => {
    while (!(await holds(text))) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  try {
    await until('"asked"')
    write(log, line(70, 'fresh file'))
    await until('fresh file')
    appendFileSync(join(root, log), line(71, 'appended'))
    await until('appended')
  } finally {
    child.kill('SIGTERM')
  }
  expect(await ended).toBe(130)
  rmSync(join(root, log))
}, 120_000)

test('all that is remembered is private', () => {
  const own = join(base, 'home', 'collect')
  expect(statSync(own).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(own)) expect(statSync(join(own, name)).mode & 0o777, name).toBe(0o600)
})
