// Starts ClickHouse for tests and for measuring: as a library behind a door, in a process of its own.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** ClickHouse as a library, in the version that was looked at. Never a dependency: it has half a gigabyte. */
export const CHDB = 'chdb@3.4.0'

/** The folder that chdb is installed in, beside other temporary things. */
export function installedChdb(log = console.log) {
  const folder = join(tmpdir(), `annals-${CHDB.replace('@', '-')}`)
  if (existsSync(join(folder, 'node_modules', 'chdb', 'package.json'))) return folder
  log(`Installing ${CHDB} into ${folder} …`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', CHDB]
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${CHDB} cannot be installed.`)
  return folder
}

/** Opens the door to an engine; what it holds is removed when it is closed. */
export async function openDoor(folder) {
  const data = mkdtempSync(join(tmpdir(), 'annals-chdb-'))
  const script = fileURLToPath(new URL('clickhouse-door.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, folder, data], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', () => resolve(undefined)))
  const port = await new Promise((resolve, reject) => {
    child.stdout.once('data', (bytes) => resolve(String(bytes).trim()))
    child.once('exit', () => reject(new Error('The engine did not start.')))
  })
  return {
    url: `clickhouse://127.0.0.1:${port}`,
    async close() {
      child.stdin.end()
      await ended
      rmSync(data, { recursive: true, force: true })
    },
  }
}
