import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { syncArchive } from '../src/archive/sync.ts'
import { writeDemoRoot } from '../src/testing/index.ts'
import { temporaryFolder } from './cli/annals.ts'

const folder = temporaryFolder()
afterAll(folder.remove)

/** The script of the manual, so that what is promised there is what works. */
function manualScript(): string {
  const [, script] = /```sh restore\.sh\n([\s\S]*?)```/.exec(readFileSync('docs/archive.md', 'utf8')) ?? []
  if (!script) throw new Error('docs/archive.md has no script')
  return script
}

test('an archive can be put back with a shell, zcat and coreutils alone', async () => {
  const root = join(folder.path, 'root')
  const archive = join(folder.path, 'home', 'archive')
  writeDemoRoot(root, new Date('2026-11-15T12:00:00Z'))
  const log = join(root, logOf(root))
  const whole = readFileSync(log)
  const sync = () => syncArchive(archive, { roots: [root], now: new Date() })
  // In several frames, of which some replace others, and in two generations.
  writeFileSync(log, whole.subarray(0, 2000))
  await sync()
  writeFileSync(log, whole.subarray(0, 5000))
  await sync()
  writeFileSync(log, Buffer.concat([whole, Buffer.alloc(300_000, 'x\n'), whole]))
  await sync()
  const large = readFileSync(log)
  writeFileSync(log, 'rewritten\n')
  await sync()
  writeFileSync(join(root, 'plans', 'odd %41 näme 項.md'), 'odd')
  await sync()
  const script = join(folder.path, 'restore.sh')
  writeFileSync(script, manualScript())
  const run = (to: string, ...more: string[]) => {
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }
    const ran = spawnSync('bash', [script, archive, to, ...more], { encoding: 'utf8', env })
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: '' })
  }
  const to = join(folder.path, 'restored')
  run(to)
  const kept = files(root).filter(
    (path) => /^(projects|file-history|plans|todos|tasks|paste-cache)\//.test(path) || path === 'history.jsonl',
  )
  expect(kept.length).toBeGreaterThan(20)
  for (const path of kept) {
    if (path.endsWith('.lock') || path.endsWith('sessions-index.json')) continue
    expect(readFileSync(join(to, path)).equals(readFileSync(join(root, path))), path).toBe(true)
  }
  const old = join(folder.path, 'old')
  run(old, '1')
  expect(readFileSync(join(old, logOf(root))).equals(large)).toBe(true)
})

function files(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(join(root, path)).isFile())
}

function logOf(root: string): string {
  return files(root).find((path) => /^projects\/[^/]+\/[0-9a-f-]+\.jsonl$/.test(path)) as string
}
