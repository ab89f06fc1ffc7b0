// Everything that must hold: format, lint, types, unused code, package health, tests. Stops at the first that does not.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

installSystemParts(['strace', 'chromium', 'postgresql', 'zsh', 'fish'])

const bin = (name) => `node_modules/${name}`
const steps = [
  ['format and lint', bin('@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings'],
  ['types', bin('typescript/bin/tsc'), '-p', 'tsconfig.json'],
  ['types of core, without Node', bin('typescript/bin/tsc'), '-p', 'tsconfig.core.json'],
  ['types of the web app', bin('typescript/bin/tsc'), '-p', 'tsconfig.web.json'],
  ['unused code', bin('knip/bin/knip.js')],
  ['package', bin('publint/src/cli.js'), '--strict'],
  ['tests', bin('vitest/vitest.mjs'), 'run', '--reporter=default', '--reporter=./scripts/closing-line.mjs'],
]

for (const [name, script, ...args] of steps) {
  console.log(`\n▸ ${name}`)
  const { status } = spawnSync(
    process.execPath,
    [script, ...args, ...(name === 'tests' ? process.argv.slice(2) : [])],
    {
      stdio: 'inherit',
    },
  )
  if (status === 0) continue
  console.error(`\n${name}: failed`)
  if (name !== 'tests') console.log('0 passed, 1 failed')
  process.exit(1)
}

/** What some tests need of the system. Where it cannot be had, these tests say so and are skipped. */
function installSystemParts(names) {
  const missing = names.filter((name) => !isInstalled(name))
  const canInstall = process.getuid?.() === 0 && !spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).error
  if (missing.length === 0 || !canInstall) return
  console.log(`Installing ${missing.join(', ')} (apt-get) …`)
  const options = { stdio: 'ignore', timeout: 300_000 }
  if (spawnSync('apt-get', ['install', '-y', '-qq', ...missing], options).status === 0) return
  spawnSync('apt-get', ['update', '-qq'], options)
  spawnSync('apt-get', ['install', '-y', '-qq', ...missing], options)
}

/** Debian keeps the programs of PostgreSQL out of the PATH, in a folder for each version. */
function isInstalled(name) {
  if (name !== 'postgresql') return !spawnSync(name, ['--version'], { stdio: 'ignore' }).error
  const folder = '/usr/lib/postgresql'
  const versions = existsSync(folder) ? readdirSync(folder) : []
  return (
    versions.some((version) => existsSync(`${folder}/${version}/bin/initdb`)) ||
    !spawnSync('initdb', ['--version'], { stdio: 'ignore' }).error
  )
}
