// Makes a checkout ready: installs what the lock file names and builds what is older than its source, or in any case with
// `--rebuild`. Says what it does.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`annals needs Node 20.19 or newer; this is ${process.versions.node}.`)
  process.exit(2)
}

const stamp = 'node_modules/.annals-lock'
const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync('package-lock.json', 'utf8')
if (!isInstalled) {
  console.error('Installing dependencies (npm ci) …')
  // `npm pack --dry-run` and `npm i -g` hand their own flags on to the scripts they run.
  const flags = '--include=dev --ignore-scripts --prefer-offline --dry-run=false --global=false'
  run('npm', ['ci', ...flags.split(' '), '--no-audit', '--no-fund', '--loglevel=error'])
  copyFileSync('package-lock.json', stamp)
}

// The types of the sources name this module, and it is in no checkout.
const { makeSkimWasm } = await import('./skim-wasm.mjs')
await makeSkimWasm()

const sources = ['src', 'scripts', 'package.json', 'tsconfig.json', 'tsdown.config.ts', 'vite.config.ts']
// Removed and written at the end of a build: one that was interrupted counts as none.
const built = 'dist/schemas/operations'
const isStale = () => !existsSync(built) || sources.some((path) => newest(path) > statSync(built).mtimeMs)
if (process.argv.includes('--rebuild') || isStale()) {
  console.error('Building the program and the web app …')
  run(process.execPath, ['scripts/build.mjs'], 'pipe')
}

function newest(path) {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => newest(`${path}/${name}`)))
}

/** What a build says is of interest only where it fails. */
function run(command, args, output = 2) {
  const options = { stdio: ['ignore', output, output], shell: process.platform === 'win32', encoding: 'utf8' }
  const { status, error, stdout, stderr } = spawnSync(command, args, options)
  if (error || status !== 0) {
    console.error(`${stdout ?? ''}${stderr ?? ''}`)
    console.error(`${command} ${args[0]} failed.`)
    process.exit(2)
  }
}
