// The peer that usage is measured beside: its own native binary, fetched for the run and never a dependency.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

export const PEER = 'ccusage@20.0.24'

/** Fetches the peer into a folder. Gives its binary, or why there is none. */
export function fetchPeer(folder) {
  mkdirSync(folder, { recursive: true })
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  // With the settings of who runs this: their registry and cache are theirs to choose.
  const { status, stderr, error } = spawnSync('npm', ['install', '--prefix', folder, ...flags, PEER], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) return { missing: `npm could not install it: ${firstLine(error?.message ?? stderr)}` }
  const platform = `${process.platform}-${process.arch}`
  const name = process.platform === 'win32' ? 'ccusage.exe' : 'ccusage'
  const binary = join(folder, 'node_modules', '@ccusage', `ccusage-${platform}`, 'bin', name)
  if (!existsSync(binary)) return { missing: `it has no binary for ${platform}` }
  // Its own start script does this, and that is not run.
  chmodSync(binary, 0o755)
  return { binary }
}

function firstLine(text) {
  return text.trim().split('\n')[0]
}
