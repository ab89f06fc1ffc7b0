// Measures the built package on made-up roots, next to what the machine allows. `--mb N` sets the size of the large
// root, `--keep` keeps both, `--write` writes docs/benchmarks.md, `--dist DIR` measures another build.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { page, report } from './bench/report.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '300' },
    keep: { type: 'boolean' },
    write: { type: 'boolean' },
    dist: { type: 'string', default: here('../dist') },
  },
})
const bytes = Number(values.mb) * 1e6
if (!(bytes > 0)) throw new Error(`--mb takes a number of megabytes, not "${values.mb}".`)
const dist = resolve(values.dist)
const cli = join(dist, 'cli.mjs')
const roots = fileURLToPath(import.meta.resolve('./bench/roots.mjs'))
const measure = fileURLToPath(import.meta.resolve('./bench/measure.mjs'))
const load = loadavg()[0]
const dir = mkdtempSync(join(tmpdir(), 'annals-bench-'))
const [large, small, peak] = ['large', 'small', 'peak.cjs'].map((name) => join(dir, name))

// An interrupted child ends this run through its exit code, so that the roots are removed all the same.
process.on('SIGINT', () => {})

// Everything heavy runs in child processes: on Linux a process inherits the peak of the one that started it, so this
// one has to stay small.
try {
  console.error(`Writing roots to ${dir} …`)
  node([roots, dist, dir, String(bytes)])
  console.error('Measuring in one process …')
  const times = JSON.parse(node([measure, 'times', dist, dir]).output)
  console.error('Measuring whole processes …')
  const tell = `require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS))`
  writeFileSync(peak, `require('node:worker_threads').isMainThread && process.on('exit', () => ${tell})`)
  const processes = {
    ...takeTurns(15, { bare: ['-e', '0'], version: [cli, '--version'] }),
    ...takeTurns(3, {
      read: ['-r', peak, measure, 'records', dist, dir],
      list: ['-r', peak, cli, 'sessions', '--json', '--root', small],
      // Nothing kept from an earlier round: every log is read.
      full: ['-r', peak, cli, 'sessions', '--full', '--no-index', '--json', '--root', large],
      warm: ['-r', peak, cli, 'sessions', '--full', '--json', '--root', large],
      check: ['-r', peak, cli, 'check', '--json', '--root', large],
    }),
  }
  const text = report({ ...times, processes, load })
  console.log(`\n${text}`)
  if (values.write) writeFileSync(here('../docs/benchmarks.md'), page(text))
} finally {
  if (values.keep) console.error(`Kept ${dir}`)
  else rmSync(dir, { recursive: true, force: true })
}

/** Runs some commands in turn: of each the shortest time and the highest peak. */
function takeTurns(rounds, commands) {
  const names = Object.keys(commands)
  const runs = Array.from({ length: rounds }, () => names.map((name) => node(commands[name])))
  const best = (at) => ({
    ms: Math.min(...runs.map((run) => run[at].ms)),
    mb: Math.max(...runs.map((run) => run[at].mb)),
  })
  return Object.fromEntries(names.map((name, at) => [name, best(at)]))
}

/** Runs Node to its end. It may tell its peak memory, in KiB, on descriptor 3. */
function node(args) {
  const start = performance.now()
  const stdio = ['ignore', 'pipe', 'inherit', 'pipe']
  const { status, output } = spawnSync(process.execPath, args, {
    stdio,
    maxBuffer: 1e9,
    env: { ...process.env, ANNALS_HOME: join(dir, 'state') },
  })
  const ms = performance.now() - start
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}.`)
  return { ms, output: String(output[1]), mb: (Number(output[3]) * 1024) / 1e6 }
}
