// Measures the collector: `node scripts/bench/collect.mjs DIST DIR [POSTGRES]` writes a root of 3,000 logs below DIR and prints
// the figures as JSON: records and bytes a second into a folder (and into a PostgreSQL, by its address), what an idle collector
// costs, how long an appended record takes to be visible, and the memory while the destination is down.
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runner } from './run.mjs'

const FILES = 3_000
const ROWS = 12
const ROUNDS = 1
const SETTLE_MS = 30_000
// Long enough for two sweeps; mostly also for the one time that Node gives memory back after the work, some 0.2 s.
const IDLE_MS = 60_000
const BAD_FILES = 100
const DOWN_MS = 15_000

const [dist, dir, postgres] = process.argv.slice(2)
const { log } = await import(pathToFileURL(join(dist, 'testing.mjs')).href)
const { withPeak, state } = runner(dir)
const cli = join(dist, 'cli.cjs')
const root = join(dir, 'collect-root')
const bytes = writeRoot()
const toFolder = throughput(`folder:${join(dir, 'collected')}`, ['--content', 'all'])
const figures = {
  files: FILES,
  bytes,
  rounds: ROUNDS,
  folder: toFolder,
  facts: throughput(`folder:${join(dir, 'collected-facts')}`, ['--content', 'none', '--paths', 'hashed']),
  parquet: throughput(`folder:${join(dir, 'collected-parquet')}`, ['--content', 'all', '--format', 'parquet']),
  receiver: await throughReceiver(),
  postgres: postgres === undefined ? null : throughput(postgres, ['--content', 'all', '--paths', 'real'], 1),
  ...(await staying()),
  downMb: await whileDown(),
}
console.log(JSON.stringify(figures))

/** The best of some runs, each of which begins with nothing delivered. */
function throughput(to, flags, rounds = ROUNDS) {
  const runs = Array.from({ length: rounds }, () => {
    rmSync(join(state, 'collect'), { recursive: true, force: true })
    if (to.startsWith('folder:')) rmSync(to.slice('folder:'.length), { recursive: true, force: true })
    const { ms, mb, output } = withPeak(cli, 'collect', '--to', to, '--root', root, '--json', ...flags)
    return { ms, mb, records: JSON.parse(output).records }
  })
  const ms = Math.min(...runs.map((run) => run.ms))
  const { records } = runs[0]
  return {
    ms: Math.round(ms),
    records,
    recordsPerSecond: Math.round(records / (ms / 1000)),
    mbPerSecond: Math.round(bytes / 1e6 / (ms / 1000)),
    peakMb: Math.round(Math.max(...runs.map((run) => run.mb))),
    bytesPerRecord: to.startsWith('folder:') ? Math.round(sizeOf(to.slice('folder:'.length)) / records) : null,
  }
}

/** The same through a receiver that writes to a folder: both ends share this machine. */
async function throughReceiver() {
  const out = join(dir, 'received')
  rmSync(out, { recursive: true, force: true })
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    ANNALS_HOME: join(dir, 'receiver-home'),
    ANNALS_COLLECT_TOKEN: 'bench',
  }
  const args = [cli, 'receive', '--to', `folder:${out}`, '--port', '0', '--json']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const { url } = JSON.parse(String(await new Promise((done) => child.stdout.once('data', done))))
    process.env.ANNALS_COLLECT_TOKEN = 'bench'
    const before = ticks(child.pid)
    const figures = throughput(url, ['--content', 'all', '--paths', 'real'], 1)
    const cpuSeconds = (ticks(child.pid) - before) / 100
    // What it could take if it had a core to itself.
    const recordsPerCpuSecond = Math.round(figures.records / cpuSeconds)
    const bytesPerRecord = Math.round(sizeOf(out) / figures.records)
    return { ...figures, receiverMb: memory(child.pid), recordsPerCpuSecond, bytesPerRecord }
  } finally {
    delete process.env.ANNALS_COLLECT_TOKEN
    child.kill('SIGTERM')
  }
}

/** Bytes of the records in a folder. */
function sizeOf(folder) {
  const below = join(folder, 'records')
  const names = readdirSync(below, { recursive: true }).filter((name) => /\.(gz|parquet)$/.test(name))
  return names.reduce((sum, name) => sum + statSync(join(below, name)).size, 0)
}

/** What a collector costs that waits, and how soon it delivers what is appended. */
async function staying() {
  const out = join(dir, 'collected-live')
  const child = start(`folder:${out}`)
  try {
    // The first result comes when all is delivered; then the watcher looks at every file once.
    await new Promise((done) => child.stdout.once('data', done))
    await wait(SETTLE_MS)
    const idleCpuPercent = await idle(child.pid)
    const file = join(root, 'projects', readdirSync(join(root, 'projects'))[0])
    const path = join(
      file,
      readdirSync(file).find((name) => name.endsWith('.jsonl')),
    )
    const lags = []
    for (let round = 0; round < 9; round++) {
      const parts = count(out)
      const at = performance.now()
      appendFileSync(path, `{"type":"mode","mode":"round ${round}"}\n`)
      await until(() => count(out) > parts)
      lags.push(performance.now() - at)
      await wait(300)
    }
    lags.sort((a, b) => a - b)
    const idleMb = memory(child.pid)
    const removeBad = writeBad()
    await wait(SETTLE_MS)
    const badCpuPercent = await idle(child.pid)
    removeBad()
    return { idleCpuPercent, badFiles: BAD_FILES, badCpuPercent, visibleMs: Math.round(lags[4]), idleMb }
  } finally {
    child.kill('SIGKILL')
  }
}

/** What a process costs that has nothing to do, in hundredths of a core. */
async function idle(pid) {
  const before = ticks(pid)
  await wait(IDLE_MS)
  return Math.round(((ticks(pid) - before) / (IDLE_MS / 1000)) * 10) / 10
}

/** Logs that will never give a line: half of them closed to us, half without an end. Gives what removes them. */
function writeBad() {
  const folder = join(root, 'projects', '-bad')
  mkdirSync(folder)
  for (let number = 0; number < BAD_FILES; number++) {
    const path = join(folder, `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000.jsonl`)
    writeFileSync(path, Buffer.alloc(500_000, 'x'), { mode: number % 2 === 0 ? 0o600 : 0 })
  }
  return () => rmSync(folder, { recursive: true })
}

/** The memory of a collector whose destination answers that it is busy. */
async function whileDown() {
  const server = createServer((request, response) => {
    request.resume()
    const isDelivery = request.url.startsWith('/v1/batches')
    request.on('end', () => {
      if (isDelivery) response.writeHead(503).end('{}')
      else response.end('{"marks":[]}')
    })
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const child = start(`http://127.0.0.1:${server.address().port}`)
  try {
    await wait(DOWN_MS)
    return memory(child.pid)
  } finally {
    child.kill('SIGKILL')
    server.closeAllConnections()
    server.close()
  }
}

function start(to) {
  rmSync(join(state, 'collect'), { recursive: true, force: true })
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', ANNALS_HOME: state }
  const args = [cli, 'collect', '--to', to, '--root', root, '--content', 'all', '--paths', 'real', '--follow', '--json']
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
}

function count(out) {
  return readdirSync(join(out, 'records'), { recursive: true }).filter((name) => name.endsWith('.gz')).length
}

/** Processor time of a process, in hundredths of a second. */
function ticks(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return Number(user) + Number(system)
}

/** Its highest memory, in MB. */
function memory(pid) {
  const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round((Number(kib) * 1024) / 1e6)
}

async function until(test) {
  while (!test()) await wait(5)
}

function wait(ms) {
  return new Promise((done) => setTimeout(done, ms))
}

function writeRoot() {
  for (let number = 0; number < FILES; number++) {
    const made = log({
      seed: `collect ${number}`,
      cwd: `/home/ana/work/project-${number % 30}`,
      startedAt: new Date(Date.parse('2026-10-01T08:00:00.000Z') + number * 600_000).toISOString(),
    })
    for (let row = 0; row < ROWS; row += 4) {
      made.user(`Mend part ${row}`).assistant('The writer takes the next row of the queue. '.repeat(12))
      made.tool('Bash', { command: 'npm test' }, { output: 'ok '.repeat(400) })
    }
    made.write(root)
  }
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'history.jsonl'), '')
  // Logs are rarely as young as these; what was written a moment ago is looked at more closely.
  const hourAgo = new Date(Date.now() - 3_600_000)
  let total = 0
  for (const path of readdirSync(root, { recursive: true })) {
    utimesSync(join(root, path), hourAgo, hourAgo)
    if (path.endsWith('.jsonl')) total += readFileSync(join(root, path)).length
  }
  return total
}
