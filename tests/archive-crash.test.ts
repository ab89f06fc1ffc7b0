import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readArchive, readContent } from '../src/archive/archive.ts'
import { verifyArchive } from '../src/archive/verify.ts'
import { temporaryFolder } from './cli/annals.ts'
import { copyFolder } from './support/made-folder.ts'

const cli = join(import.meta.dirname, '../dist/cli.cjs')
const folder = temporaryFolder()
const root = join(folder.path, 'root')
const base = join(folder.path, 'base')
/** Why nothing can be killed at a system call here; empty where it can. */
const refusal = refusalOf(spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { encoding: 'utf8' }))
const hasStrace = refusal === ''
const without = hasStrace ? '' : ` (skipped: ${refusal})`
const now = new Date()

/** Calls that change something on the disk, and at which of them a process is killed: all by ANNALS_CRASH=all. */
const POINTS: Readonly<Record<string, readonly number[]>> = {
  pwrite64: [1, 2, 3, 5, 8],
  fsync: [1, 2, 4],
  rename: [1, 3],
  unlink: [1, 2],
  link: [1, 2],
  ftruncate: [1],
}
const points = (call: string) =>
  process.env.ANNALS_CRASH === 'all' ? Array.from({ length: 60 }, (_, i) => i + 1) : (POINTS[call] ?? [])

const ID = 'aaaa1111-0000-4000-8000-000000000001'
const OTHER = 'bbbb2222-0000-4000-8000-000000000002'
const row = (session: string, text: string) =>
  `${JSON.stringify({ type: 'user', uuid: text, sessionId: session, cwd: '/p', timestamp: '2026-11-15T12:00:00Z', message: { role: 'user', content: text } })}\n`
const OLD: Readonly<Record<string, string>> = {
  [`projects/-p/${ID}.jsonl`]: row(ID, 'plugh first'),
  [`projects/-p/${ID}/subagents/agent-a1.jsonl`]: row(ID, 'plugh agent'),
  [`projects/-p/${ID}/tool-results/b1.txt`]: 'plugh result',
  [`tasks/${ID}/1.json`]: '{"plugh":1}',
  [`projects/-p/${OTHER}.jsonl`]: row(OTHER, 'another'),
  'history.jsonl': `{"display":"plugh","sessionId":"${ID}"}\n{"display":"x","sessionId":"${OTHER}"}\n`,
}
const NEW: Readonly<Record<string, string>> = {
  ...OLD,
  [`projects/-p/${ID}.jsonl`]: row(ID, 'plugh first') + row(ID, `plugh ${'second '.repeat(30_000)}`),
  [`projects/-p/${ID}/tool-results/b2.txt`]: 'plugh new result',
  [`tasks/${ID}/1.json`]: '{"plugh":"rewritten"}',
}
let states = 0

function refusalOf({ error, status, stderr }: SpawnSyncReturns<string>): string {
  if (error) return 'strace is not installed'
  return status === 0 ? '' : `ptrace is refused: ${stderr.split('\n')[0]}`
}

beforeAll(() => {
  place(OLD)
  expect(annals(base, ['keep']).status).toBe(0)
  // Grown, rewritten and new since.
  for (const [path, content] of Object.entries(NEW)) {
    if (content.startsWith(OLD[path] ?? '\0'))
      appendFileSync(join(root, path), content.slice((OLD[path] as string).length))
    else place({ [path]: content })
  }
})
afterAll(folder.remove)

function place(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

/** Our state as it was before the command that is to be killed. */
function newState(from = base): string {
  const state = join(folder.path, `state-${states++}`)
  copyFolder(from, state)
  return state
}

function annals(state: string, args: readonly string[], inject?: string) {
  const command = [process.execPath, cli, ...args, '--root', root]
  const call = inject?.split(':')[0]
  const strace = inject ? ['strace', '-f', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${inject}`] : []
  const [program, ...rest] = [...strace, ...command] as [string, ...string[]]
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_HOME: state }
  return spawnSync(program, rest, { encoding: 'utf8', env })
}

/** What an archive has, by path: the content of every generation. */
function contents(state: string): Readonly<Record<string, readonly string[]>> {
  const archive = readArchive(join(state, 'archive'))
  expect(archive.manifest.damage).toEqual([])
  return Object.fromEntries(
    [...archive.manifest.state.files.values()]
      .map(({ path, generations }) => [path, generations.map((one) => String(readContent(archive, one)))] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** What should not be left in an archive when nobody writes. */
const aside = (state: string) => readdirSync(join(state, 'archive')).filter((name) => /lock|tmp|lost/.test(name))
const objects = (state: string) => readdirSync(join(state, 'archive', 'data')).sort()
const verified = (state: string) => verifyArchive(join(state, 'archive'), { now })

/** All bytes of our files, packed and unpacked. */
function everything(state: string): string {
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return files
    .map(({ parentPath, name }) => {
      const bytes = readFileSync(join(parentPath, name))
      return `${name}\n${bytes.toString('latin1')}\n${name.endsWith('.gz') ? gunzipSync(bytes).toString('latin1') : ''}`
    })
    .join('\n')
}

/** Runs a command again and again, killed at one call after the other; goes on to the next call at the first that is never reached. */
function sweep(what: string, run: (inject: string, name: string) => { readonly status: number | null }): void {
  const fired: Record<string, number> = {}
  for (const call of Object.keys(POINTS)) {
    fired[call] = 0
    for (const point of points(call)) {
      const { status } = run(`${call}:signal=KILL:when=${point}`, `killed at ${call} ${point}`)
      if (status === 0) break
      fired[call] += 1
    }
  }
  report(what, fired)
}

/** Says how many faults fired: a sweep in which none did shows nothing. */
function report(what: string, fired: Readonly<Record<string, number>>): void {
  const total = Object.values(fired).reduce((sum, one) => sum + one, 0)
  const parts = Object.entries(fired).map(([call, count]) => `${call} ${count}`)
  console.info(`${what}: ${total} faults fired (${parts.join(', ')})`)
  expect(total, `${what}: no fault fired`).toBeGreaterThan(0)
}

describe('a command that is killed leaves the old state or the new one', () => {
  test.skipIf(!hasStrace)(
    `keep${without}`,
    () => {
      const before = contents(base)
      const whole = newState()
      annals(whole, ['keep'])
      const after = contents(whole)
      sweep('keep', (inject, name) => {
        const state = newState()
        const killed = annals(state, ['keep'], inject)
        const now = contents(state)
        for (const path of Object.keys(after)) {
          expect([JSON.stringify(before[path]), JSON.stringify(after[path])], `${name}: ${path}`).toContain(
            JSON.stringify(now[path]),
          )
        }
        expect(verified(state).problems, name).toEqual([])
        expect(annals(state, ['keep']).status, name).toBe(0)
        expect(contents(state), name).toEqual(after)
        expect(objects(state), name).toEqual(objects(whole))
        expect(aside(state), name).toEqual([])
        rmSync(state, { recursive: true })
        return killed
      })
    },
    1_800_000,
  )

  test.skipIf(!hasStrace)(
    `the first keep, and the one that brings an archive into today’s format${without}`,
    () => {
      const whole = join(folder.path, 'first')
      annals(whole, ['keep'])
      const after = contents(whole)
      const old = newState(whole)
      const manifest = join(old, 'archive', 'manifest')
      const bytes = readFileSync(manifest)
      writeFileSync(manifest, Buffer.concat([Buffer.from('annals archive 1'), bytes.subarray(bytes.indexOf(10))]))
      for (const name of objects(old)) if (name.endsWith('.of')) rmSync(join(old, 'archive', 'data', name))
      rmSync(join(old, 'archive', 'manifest.before'))
      for (const [what, from] of [
        ['first keep', undefined],
        ['upgrade', old],
      ] as const) {
        sweep(what, (inject, name) => {
          const state = from ? newState(from) : join(folder.path, `state-${states++}`)
          const killed = annals(state, ['keep'], inject)
          if (from) expect(contents(state), `${what} ${name}`).toEqual(after)
          expect(verified(state).problems, `${what} ${name}`).toEqual([])
          expect(annals(state, ['keep']).status, `${what} ${name}`).toBe(0)
          expect(contents(state), `${what} ${name}`).toEqual(after)
          expect(objects(state), `${what} ${name}`).toEqual(objects(whole))
          expect(aside(state), `${what} ${name}`).toEqual([])
          rmSync(state, { recursive: true })
          return killed
        })
      }
    },
    1_800_000,
  )

  test.skipIf(!hasStrace)(
    `archive verify --repair${without}`,
    () => {
      const damaged = newState()
      const before = contents(damaged)
      rmSync(join(damaged, 'archive', 'manifest'))
      sweep('repair', (inject, name) => {
        const state = newState(damaged)
        const killed = annals(state, ['archive', 'verify', '--repair'], inject)
        annals(state, ['archive', 'verify', '--repair'])
        expect(verified(state).problems, name).toEqual([])
        const after = contents(state)
        for (const [path, [first]] of Object.entries(before)) expect(after[path]?.[0], `${name}: ${path}`).toBe(first)
        rmSync(state, { recursive: true })
        return killed
      })
    },
    1_800_000,
  )

  test.skipIf(!hasStrace)(
    `archive restore${without}`,
    () => {
      const state = newState()
      annals(state, ['keep'])
      const family = Object.entries(NEW).filter(([path]) => path.includes(ID))
      sweep('archive restore', (inject, name) => {
        const to = join(folder.path, `restored-${states++}`)
        const args = ['archive', 'restore', ID, '--to', to]
        const killed = annals(state, args, inject)
        for (const [path, content] of family) {
          if (existsSync(join(to, path))) expect(readFileSync(join(to, path), 'utf8'), `${name}: ${path}`).toBe(content)
        }
        if (existsSync(join(to, `projects/-p/${ID}.jsonl`))) {
          for (const [path] of family)
            expect(existsSync(join(to, path)), `${name}: the log came before ${path}`).toBe(true)
        }
        expect(annals(state, args).status, name).toBe(0)
        for (const [path, content] of family) expect(readFileSync(join(to, path), 'utf8'), name).toBe(content)
        const left = readdirSync(to, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('annals'))
        expect(left, name).toEqual([])
        rmSync(to, { recursive: true })
        return killed
      })
    },
    1_800_000,
  )

  test.skipIf(!hasStrace)(
    `purge${without}`,
    () => {
      const ready = newState()
      annals(ready, ['keep'])
      annals(ready, ['index'])
      const before = contents(ready)
      sweep('purge', (inject, name) => {
        const state = newState(ready)
        const killed = annals(state, ['purge', ID, '--yes'], inject)
        const now = contents(state)
        const isThere = now[`projects/-p/${ID}.jsonl`] !== undefined
        if (isThere) expect(now, name).toEqual(before)
        else
          expect(
            Object.keys(now).filter((path) => path.includes(ID)),
            name,
          ).toEqual([])
        expect(verified(state).problems, name).toEqual([])
        expect(annals(state, ['purge', ID, '--yes']).status, name).toBe(0)
        expect(everything(state), name).not.toMatch(/plugh|aaaa1111/)
        expect(contents(state)[`projects/-p/${OTHER}.jsonl`], name).toEqual(before[`projects/-p/${OTHER}.jsonl`])
        rmSync(state, { recursive: true })
        return killed
      })
    },
    1_800_000,
  )
})

test.skipIf(!hasStrace)(
  `a disk that is full, closed or broken gives a sentence, and nothing is lost${without}`,
  () => {
    const faults = [
      'pwrite64:error=ENOSPC:when=2+',
      'fsync:error=EIO:when=2+',
      'rename:error=EACCES:when=1+',
      'link:error=EROFS:when=1+',
    ]
    const fired: Record<string, number> = {}
    for (const fault of faults) {
      const state = newState()
      const { status, stderr } = annals(state, ['keep'], fault)
      fired[fault] = status === 0 ? 0 : 1
      expect(status, fault).toBe(2)
      expect(stderr, fault).toMatch(/The archive at .*\.\n/)
      expect(stderr, fault).not.toMatch(/\n\s+at |This is a bug/)
      expect(verified(state).problems, fault).toEqual([])
      expect(annals(state, ['keep']).status, fault).toBe(0)
      expect(verified(state), fault).toMatchObject({ problems: [], idle: 0 })
      const to = join(folder.path, `full-${states++}`)
      const restored = annals(state, ['archive', 'restore', ID, '--to', to], fault)
      if (restored.status !== 0) {
        expect(restored.stderr, fault).not.toMatch(/\n\s+at |This is a bug/)
        expect(existsSync(to) ? readdirSync(to, { recursive: true }) : [], fault).toEqual([])
      }
    }
    report('disk', fired)
  },
  300_000,
)

test('two that keep at once do not get in each other’s way', async () => {
  const state = newState()
  const script = [process.execPath, cli, 'keep', '--root', root].map((word) => `'${word}'`).join(' ')
  const { status, stderr } = spawnSync('sh', ['-c', `${script} & ${script} & ${script} & wait`], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_HOME: state },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(verified(state)).toMatchObject({ problems: [], idle: 0 })
  expect(contents(state)[`tasks/${ID}/1.json`]).toEqual([OLD[`tasks/${ID}/1.json`], NEW[`tasks/${ID}/1.json`]])
})
