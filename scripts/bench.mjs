// Measures the built package on made-up roots, next to what the machine allows and what others need. `--only read,index`
// measures some parts, `--mb N` sets the size of the large roots, `--millions 1,10` the rows of team stores, `--keep` keeps all roots,
// `--write` puts the tables into docs/benchmarks.md, `--dist DIR` measures another build.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { blameReport } from './bench/blame-report.mjs'
import { clickhouseReport } from './bench/clickhouse-report.mjs'
import { collectReport } from './bench/collect-report.mjs'
import { measureHuge } from './bench/huge-part.mjs'
import { hugeReport } from './bench/huge-report.mjs'
import { measureIndex } from './bench/index-part.mjs'
import { indexReport } from './bench/index-report.mjs'
import { pickerReport } from './bench/picker-report.mjs'
import { redactReport } from './bench/redact-report.mjs'
import { measuredAt, report } from './bench/report.mjs'
import { runner, takeTurns } from './bench/run.mjs'
import { commandsReport, storeReport } from './bench/store-report.mjs'
import { tasksReport } from './bench/tasks-report.mjs'
import { webReport } from './bench/web-report.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const PARTS = { read, huge, index, web, redact, collect, picker, tasks, blame }
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(PARTS).join(',') },
    mb: { type: 'string', default: '300' },
    millions: { type: 'string', default: '1,10' },
    keep: { type: 'boolean' },
    write: { type: 'boolean' },
    dist: { type: 'string', default: here('../dist') },
  },
})
const bytes = Number(values.mb) * 1e6
if (!(bytes > 0)) throw new Error(`--mb takes a number of megabytes, not "${values.mb}".`)
const wanted = values.only.split(',')
const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) throw new Error(`No part is called ${unknown.join(', ')}: ${Object.keys(PARTS).join(', ')}.`)
const dist = resolve(values.dist)
const cli = join(dist, 'cli.cjs')
const script = (name) => fileURLToPath(import.meta.resolve(`./bench/${name}.mjs`))
const dir = mkdtempSync(join(tmpdir(), 'annals-bench-'))
const [large, small] = ['large', 'small'].map((name) => join(dir, name))
const { node, withPeak } = runner(dir)
let hasRoots = false

// An interrupted child ends this run through its exit code, so that the roots are removed all the same.
process.on('SIGINT', () => {})

// Everything heavy runs in child processes: on Linux a process inherits the peak of the one that started it, so this
// one has to stay small.
try {
  for (const name of wanted) {
    const load = loadavg()[0]
    console.error(`Measuring: ${name} …`)
    const tables = PARTS[name]()
    const text = `${measuredAt(load)}\n\n${tables}`
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
  return hugeReport(measureHuge({ dir: join(dir, 'huge'), dist }))
}

function index() {
  return indexReport(measureIndex({ dir: join(dir, 'indexed'), dist, bytes }))
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
  const postgres = JSON.parse(node(script('postgres')).output)
  const commands = JSON.parse(node(script('store-commands'), values.mb).output)
  const asked = values.millions
    .split(',')
    .map((millions) => JSON.parse(node(script('store-queries'), String(Number(millions) * 1e6)).output))
  const clickhouse = JSON.parse(node(script('clickhouse'), '64', values.millions).output)
  const tables = [
    collectReport(local, postgres),
    commandsReport(commands),
    storeReport(asked),
    clickhouseReport(clickhouse),
  ]
  return [...tables, ''].join('\n')
}

function picker() {
  return pickerReport(JSON.parse(node(script('picker'), dist, dir).output))
}

function tasks() {
  return tasksReport(JSON.parse(node(script('tasks'), dist, dir).output))
}

function blame() {
  return blameReport(JSON.parse(node(script('blame'), dist, dir).output))
}

function makeRoots() {
  if (hasRoots) return
  hasRoots = true
  console.error(`Writing roots to ${dir} …`)
  node(script('roots'), dist, dir, String(bytes))
}

/** Puts the tables of one part into the page, between its marks. */
function keep(name, text) {
  const path = here('../docs/benchmarks.md')
  const page = readFileSync(path, 'utf8')
  const [start, end] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`]
  const [from, to] = [page.indexOf(start) + start.length, page.indexOf(end)]
  if (to < from) throw new Error(`docs/benchmarks.md has no place for ${name}.`)
  writeFileSync(path, page.slice(0, from) + text.trim() + page.slice(to))
}
