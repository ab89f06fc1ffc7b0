import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archiveFolder } from '../archive/archive.ts'
import { syncArchive } from '../archive/sync.ts'
import { openLibrary } from '../history/compose.ts'
import type { Context } from '../history/context.ts'
import { writeDemoRoot } from '../testing/index.ts'
import { files } from './files.ts'
import { memory } from './memory.ts'
import type { Op } from './op.ts'
import { plans } from './plans.ts'
import { prompts } from './prompts.ts'
import { todos } from './todos.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-kept-beside-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NOW = new Date('2026-11-15T12:00:00Z')
const root = join(folder, 'root')
const dataDir = join(folder, 'data')

interface Listed {
  readonly total: number
  readonly items: readonly Record<string, unknown>[]
  readonly versions?: readonly Record<string, unknown>[]
}

async function ask(op: Op, input: Record<string, unknown> = {}): Promise<Listed> {
  const library = openLibrary([root], () => {}, dataDir)
  const rest = { cwd: folder, home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  const context: Context = { library, now: NOW, dataDir, ...rest }
  const result = (await op.run(context, input)) as Listed
  library.close()
  return result
}

const before = new Map<string, Listed>()
const OPS = { plans, todos, memory, prompts, files } as unknown as Readonly<Record<string, Op>>

beforeAll(async () => {
  writeDemoRoot(root, NOW)
  await syncArchive(archiveFolder(dataDir), { roots: [root], now: NOW })
  for (const [name, op] of Object.entries(OPS)) before.set(name, await ask(op))
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
  expect(existsSync(join(root, 'projects'))).toBe(false)
}, 120_000)

test.each(Object.keys(OPS))(
  '%s of sessions that only the archive has are listed as those on the disk',
  async (name) => {
    const was = before.get(name)
    expect(was?.total).toBeGreaterThan(0)
    expect(await ask(OPS[name] as Op)).toEqual(was)
  },
)

test('a file is rebuilt from checkpoints that only the archive has', async () => {
  const { items } = await ask(OPS.files as Op)
  const copied = items.find(({ backup }) => typeof backup === 'string')
  const { versions = [] } = await ask(OPS.files as Op, { path: copied?.path, versions: true })
  expect(versions.length).toBeGreaterThan(1)
  expect(versions.filter(({ unknown }) => String(unknown).includes('is gone'))).toEqual([])
})
