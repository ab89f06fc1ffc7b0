// Measures the built package on made-up roots, next to what the machine allows and what others need. `--only read,index`
// measures some parts, `--mb N` sets the size of the large roots, `--keep` keeps all roots, `--write` puts the tables into
// docs/benchmarks.md, `--dist DIR` measures another build.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { collectReport } from './bench/collect-report.mjs'
import { hugeReport } from './bench/huge-report.mjs'
import { measureIndex } from './bench/index-part.mjs'
import { indexReport } from './bench/index-report.mjs'
import { redactReport } from './bench/redact-report.mjs'
import { measuredAt, page, report } from './bench/report.mjs'
import { runner, takeTurns } from './bench/run.mjs'
import { webReport } from './bench/web-report.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const PARTS = { read, huge, index, web, redact, collect }
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(PARTS).join(',') },
    mb: { type: 'string' },
    keep: { type: 'boolean' },
    write: { type: 'boolean' },
    dist: { type: 'string', default: here('../dist') },
  },
})
const [readBytes, indexedBytes] = [300, 1_000].map((usual) => Number(values.mb ?? usual) * 1e6)
if (!(readBytes > 0)) throw new Error(`--mb takes a number of megabytes, not "${values.mb}".`)
const wanted = values.only.split(',')
const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) throw new Error(`No part is called ${unknown.join(', ')}: ${Object.keys(PARTS).join(', ')}.`)
const dist = resolve(values.dist)
const cli = join(dist, 'cli.mjs')
const script = (name) => fileURLToPath(import.meta.resolve(`./bench/${name}.mjs`))
const dir = mkdtempSync(join(tmpdir(), 'annals-bench-'))
const [large, small, indexed] = ['large', 'small', 'indexed'].map((name) => join(dir, name))
const { node, state, withPeak } = runner(dir)
let hasRoots = false

// An interrupted child ends this run through its exit code, so that the roots are removed all the same.
process.on('SIGINT', () => {})

// Everything heavy runs in child processes: on Linux a process inherits the peak of the one that started it, so this
// one has to stay small.
try {
  for (const name of wanted) {
    const load = loadavg()[0]
    console.error(`Measuring: ${name} …`)
    const text = `${measuredAt(load)}\n\n${PARTS[name]()}`
    console.log(`\n${text}`)
    if (values.write) keep(name, text)
  }
} finally {
  if (values.keep) console.error(`Kept ${dir}`)
  else rmSync(dir, { recursive: true, force: true })
}

function read() {
  makeRoots()
  const times = JSON.parse(node(script('measure'), 'times', dist, dir).output)
  const processes = {
    ...takeTurns(15, { bare: () => node('-e', '0'), version: () => node(cli, '--version') }),
    ...takeTurns(3, {
      read: () => withPeak(script('measure'), 'records', dist, dir),
      list: () => withPeak(cli, 'sessions', '--json', '--root', small),
      // Nothing kept from an earlier round: every log is read.
      full: () => withPeak(cli, 'sessions', '--full', '--no-index', '--json', '--root', large),
      warm: () => withPeak(cli, 'sessions', '--full', '--json', '--root', large),
      check: () => withPeak(cli, 'check', '--json', '--root', large),
    }),
  }
  return report({ ...times, processes })
}

function huge() {
  const root = join(dir, 'huge')
  const rows = 1_000_000
  node(script('huge'), root, String(rows))
  const session = '22222222-0000-4000-8000-000000000000'
  const commands = ['check', 'sessions --full', 'usage', `tail ${session}`, `show ${session} --turns 1`]
  const runs = commands.map((command) => {
    rmSync(state, { recursive: true, force: true })
    return [command.replace(session, '2222'), withPeak(cli, ...command.split(' '), '--json', '--root', root)]
  })
  const bytes = statSync(join(root, 'projects', '-home-ana-api', `${session}.jsonl`)).size
  rmSync(root, { recursive: true })
  return hugeReport({ rows, bytes, runs })
}

function index() {
  return indexReport(measureIndex({ dir: indexed, dist, bytes: indexedBytes }))
}

function web() {
  return webReport(JSON.parse(node(script('web'), dist, dir).output))
}

function redact() {
  makeRoots()
  return redactReport(JSON.parse(node(script('redact'), dist, dir).output))
}

function collect() {
  const local = JSON.parse(node(script('collect'), dist, dir).output)
  return collectReport(local, JSON.parse(node(script('postgres')).output))
}

function makeRoots() {
  if (hasRoots) return
  hasRoots = true
  console.error(`Writing roots to ${dir} …`)
  node(script('roots'), dist, dir, String(readBytes))
}

/** Puts the tables of one part into the page; those of the others stay. */
function keep(name, text) {
  const path = here('../docs/benchmarks.md')
  const parts = new Map(
    Object.keys(PARTS).map((part) => [part, part === name ? text : sectionOf(readFileSync(path, 'utf8'), part)]),
  )
  writeFileSync(path, page(parts))
}

function sectionOf(text, name) {
  const found = new RegExp(`<!-- ${name} -->\\n([^]*?)\\n<!-- /${name} -->`).exec(text)
  return found?.[1] ?? 'Not measured yet.'
}
