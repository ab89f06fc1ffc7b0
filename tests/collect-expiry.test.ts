import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { archiveFolder } from '../src/archive/archive.ts'
import { syncArchive } from '../src/archive/sync.ts'
import { Library } from '../src/disk/library.ts'
import type { Context } from '../src/history/context.ts'
import { collect } from '../src/ops/collect.ts'
import { doctor } from '../src/ops/doctor.ts'
import { temporaryFolder } from './cli/annals.ts'
import { rowsIn } from './collector/folder-place.ts'
import { ID, LOG, line } from './collector/made-root.ts'

const folder = temporaryFolder()
afterAll(folder.remove)
const NOW = new Date()
const OTHER = 'projects/-q/bbbb2222-0000-4000-8000-000000000002.jsonl'
let places = 0
let root = ''
let home = ''
let out = ''

beforeEach(() => {
  const place = join(folder.path, `place-${places++}`)
  root = join(place, 'root')
  home = join(place, 'home')
  out = join(place, 'out')
  mkdirSync(home, { recursive: true })
  write('settings.json', '{"cleanupPeriodDays":20}')
})

function write(path: string, text: string, daysOld = 0): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  appendFileSync(join(root, path), text)
  const then = new Date(NOW.getTime() - daysOld * 86_400_000)
  utimesSync(join(root, path), then, then)
}

function context(): Context {
  const own = { configDir: home, dataDir: home, cwd: folder.path, home: folder.path, currentSession: undefined }
  return { library: new Library({ roots: [root] }), now: NOW, ...own, warn: () => {}, progress: () => {} }
}

const set = (settings: object) => writeFileSync(join(home, 'collect.json'), JSON.stringify(settings))
const collected = () => collect.run(context(), { to: `folder:${out}` })
const keep = () => syncArchive(archiveFolder(home), { roots: [root], now: NOW, progress: () => {} })
const words = async () =>
  (await rowsIn(out)).map(({ content }) => JSON.parse(Buffer.from(content).toString('utf8')).message.content).sort()

/** What the doctor says of collecting. */
async function said() {
  const { checks } = await doctor.run(context(), {})
  return checks.filter(({ name }) => name === 'collect')
}

test('who never collected is not bothered, and nothing is made for it', async () => {
  write(LOG, line(1), 19)
  expect(await said()).toEqual([])
  expect(readdirSync(home)).toEqual([])
})

test('days before logs are deleted that were not delivered, the doctor says so (T24)', async () => {
  set({ to: `folder:${out}` })
  write(LOG, line(1), 12)
  expect(await said()).toMatchObject([{ ok: true, detail: expect.stringMatching(/^1 log is behind, none/) }])
  write(OTHER, line(2), 14)
  const [warning] = await said()
  const day = new Date(NOW.getTime() + 6 * 86_400_000).toISOString().slice(0, 10)
  expect(warning).toEqual({
    name: 'collect',
    ok: false,
    detail: `1 log is not yet at folder:${out}, and Claude Code deletes it from ${day} on.`,
    fix: expect.stringContaining('annals keep'),
  })
  write(LOG, line(3), 25)
  expect(await said()).toMatchObject([
    { ok: false, detail: expect.stringMatching(/^2 logs are .* at its next start\.$/) },
  ])
  await collected()
  expect(await said()).toMatchObject([{ ok: true, detail: expect.stringMatching(/^Nothing is behind/) }])
})

test('what was appended after a delivery counts; half a line, a warmup and a project that is left out do not', async () => {
  write(LOG, line(1), 19)
  await collected()
  expect(await said(), 'a destination of late counts without settings').toMatchObject([{ ok: true }])
  write(LOG, line(2).slice(0, 30), 19)
  write(`projects/-p/${ID}/subagents/agent-warm.jsonl`, line(3, 'Warmup', { isSidechain: true, agentId: 'warm' }), 19)
  set({ ignore: ['/home/ana/private'] })
  write(OTHER, line(4, 'private', { cwd: '/home/ana/private/x' }), 19)
  expect(await said()).toMatchObject([{ ok: true }])
  write(LOG, line(2).slice(30), 19)
  expect(await said()).toMatchObject([{ ok: false, detail: expect.stringMatching(/^1 log is not yet/) }])
})

test('what the archive has is no worry: deleted before it was sent, it comes from there, and goes on where it was (T24)', async () => {
  write(LOG, line(1), 19)
  await collected()
  write(LOG, line(2), 19)
  write(OTHER, line(3), 19)
  expect(await said()).toMatchObject([{ ok: false, detail: expect.stringMatching(/^2 logs/) }])
  await keep()
  expect(await said()).toMatchObject([{ ok: true, detail: expect.stringMatching(/^2 logs are behind, none/) }])
  rmSync(join(root, 'projects'), { recursive: true })
  expect(existsSync(join(root, LOG))).toBe(false)
  expect(await collected()).toMatchObject({ records: 2, lagBytes: 0 })
  expect(await words()).toEqual(['word 1', 'word 2', 'word 3'])
  const rows = (await rowsIn(out)).filter(({ file }) => file.endsWith(LOG))
  expect(rows.map(({ generation, offset }) => [generation, offset]).sort()).toEqual([
    [1, 0],
    [1, 2 ** 27],
  ])
  expect(await collected()).toMatchObject({ records: 0, batches: 0 })
  expect(await said()).toMatchObject([{ ok: true, detail: expect.stringMatching(/^Nothing is behind/) }])
})

test('settings that cannot be used are said, with what to do', async () => {
  set({ nonsense: 1 })
  expect(await said()).toMatchObject([
    { ok: false, detail: expect.stringContaining('nonsense'), fix: expect.any(String) },
  ])
})
