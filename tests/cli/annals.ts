import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const cli = resolve(import.meta.dirname, '../../dist/cli.cjs')

// State of its own for each file of tests, gone when it ends.
const home = mkdtempSync(join(tmpdir(), 'annals-test-home-'))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))

/** What a run of the real binary gave. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** Another user to run as; only root can. */
  readonly uid?: number
}

/** Runs the built command line with a home of its own and none of this machine's settings. */
export function annals(args: readonly string[], options: RunOptions = {}): Ran {
  if (!existsSync(cli)) throw new Error('dist/cli.cjs is missing: run `npm test`, or `npm run build` first.')
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_HOME: home, TZ: 'UTC', ...options.env }
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    encoding: 'utf8',
    env,
    cwd: options.cwd ?? tmpdir(),
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
    input: options.input ?? '',
    timeout: 60_000,
    maxBuffer: 1 << 28,
  })
  return { code: status, stdout, stderr }
}

/** A temporary folder, and what removes it. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'annals-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
