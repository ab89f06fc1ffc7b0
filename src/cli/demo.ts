import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A made-up history in a folder of its own, and what removes it. */
export interface Demo {
  readonly root: string
  readonly cacheDir: string
  readonly remove: () => void
}

/** Makes a history up, to show what annals does. Nothing of it is kept. */
export async function makeDemo(now: Date): Promise<Demo> {
  const { writeDemoRoot } = await import('../testing/demo-root.ts')
  const folder = mkdtempSync(join(tmpdir(), 'annals-demo-'))
  const root = join(folder, 'root')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  mkdirSync(root, { mode: 0o700 })
  writeDemoRoot(root, now)
  return { root, cacheDir: join(folder, 'cache'), remove }
}

/**
 * Puts this process on a made-up machine: its history, and a state folder of its own. Everything that is started later, threads and
 * programs, is there too.
 */
export async function enterDemo(env: Record<string, string | undefined>, now: Date): Promise<void> {
  const { root, cacheDir } = await makeDemo(now)
  for (const name of REAL) delete env[name]
  env.CLAUDE_CONFIG_DIR = root
  env.ANNALS_HOME = cacheDir
}

/** What says where the real history and its current session are. */
const REAL = ['ANNALS_STORE', 'ANNALS_SESSION', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_SESSION_ID', 'SESSION_CONTEXT']
