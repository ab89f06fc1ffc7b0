// Measures the built package on made-up roots, next to what the machine allows and what others need. `--mb N` sets the
// size of the large roots, `--keep` keeps all roots, `--write` writes docs/benchmarks.md, `--dist DIR` measures another
// build.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureIndex } from './bench/index-part.mjs'
import { indexReport } from './bench/index-report.mjs'
import { page, report } from './bench/report.mjs'
import { runner, takeTurns } from './bench/run.mjs'
import { webReport } from './bench/web-report.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const { values } = parseArgs({
  options: {
    mb: { type: 'string' },
    keep: { type: 'boolean' },
    write: { type: 'boolean' },
    dist: { type: 'string', default: here('../dist') },
  },
})
const [readBytes, indexedBytes] = [300, 1_000].map((usual) => Number(values.mb ?? usual) * 1e6)
if (!(readBytes > 0)) throw new Error(`--mb takes a number of megabytes, not "${values.mb}".`)
const dist = resolve(values.dist)
const cli = join(dist, 'cli.mjs')
const roots = fileURLToPath(import.meta.resolve('./bench/roots.mjs'))
const measure = fileURLToPath(import.meta.resolve('./bench/measure.mjs'))
const web = fileURLToPath(import.meta.resolve('./bench/web.mjs'))
const load = loadavg()[0]
const dir = mkdtempSync(join(tmpdir(), 'annals-bench-'))
const [large, small, indexed] = ['large', 'small', 'indexed'].map((name) => join(dir, name))

// An interrupted child ends this run through its exit code, so that the roots are removed all the same.
process.on('SIGINT', () => {})

// Everything heavy runs in child processes: on Linux a process inherits the peak of the one that started it, so this
// one has to stay small.
try {
  const { node, withPeak } = runner(dir)
  console.error(`Writing roots to ${dir} …`)
  node(roots, dist, dir, String(readBytes))
  console.error('Measuring in one process …')
  const times = JSON.parse(node(measure, 'times', dist, dir).output)
  console.error('Measuring whole processes …')
  const processes = {
    ...takeTurns(15, { bare: () => node('-e', '0'), version: () => node(cli, '--version') }),
    ...takeTurns(3, {
      read: () => withPeak(measure, 'records', dist, dir),
      list: () => withPeak(cli, 'sessions', '--json', '--root', small),
      // Nothing kept from an earlier round: every log is read.
      full: () => withPeak(cli, 'sessions', '--full', '--no-index', '--json', '--root', large),
      warm: () => withPeak(cli, 'sessions', '--full', '--json', '--root', large),
      check: () => withPeak(cli, 'check', '--json', '--root', large),
    }),
  }
  const part = measureIndex({ dir: indexed, dist, bytes: indexedBytes })
  console.error('Measuring the web app …')
  const seen = JSON.parse(node(web, dist, dir).output)
  const text = `${report({ ...times, processes, load })}\n${indexReport(part)}\n${webReport(seen)}`
  console.log(`\n${text}`)
  if (values.write) writeFileSync(here('../docs/benchmarks.md'), page(text))
} finally {
  if (values.keep) console.error(`Kept ${dir}`)
  else rmSync(dir, { recursive: true, force: true })
}
