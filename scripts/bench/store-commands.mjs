// How long commands take that ask a PostgreSQL with so many megabytes of logs, as whole processes and as a reader.
// node scripts/bench/store-commands.mjs [megabytes] ; needs a build.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundled } from './team-rows.mjs'

const ROUNDS = 7
const COMMANDS = [
  ['sessions', 1_000],
  ['usage', 1_000],
  ['search index', 500],
  ['search turnstile', 500],
  ['search "the index"', 500],
]
const cli = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url))
const megabytes = Number(process.argv[2] ?? 300)
const dir = mkdtempSync(join(tmpdir(), 'annals-bench-commands-'))
const parts = await bundled(dir, { cluster: '../../src/collector/sinks/postgres/cluster.ts' })
const bin = parts.cluster.findPostgres(process.env.PATH ?? '')
if (bin === undefined) {
  console.log(JSON.stringify({ missing: 'PostgreSQL is not installed: that part was not measured.' }))
  process.exit(0)
}
const cluster = parts.cluster.startCluster(bin, { shared_buffers: '512MB', max_wal_size: '4GB' })
try {
  const root = join(dir, 'root')
  parts.testing.generateRoot(root, { bytes: megabytes * 1e6 })
  const chosen = ['--content', 'all', '--paths', 'real', '--user', 'real']
  annals(['team', 'migrate', '--store', cluster.url()])
  annals(['collect', '--to', cluster.url(), '--root', root, ...chosen])
  cluster.psql(`create role lena login in role annals_reader; insert into annals.granted values ('lena', '*')`)
  cluster.psql('vacuum analyze')
  const store = ['--store', cluster.url('postgres', 'lena')]
  const runs = { bare: () => timed(['-e', '0']) }
  for (const [command] of COMMANDS) {
    const [name, ...words] = command.split(' ')
    runs[command] = () => annals([name, ...(words.length === 0 ? [] : [words.join(' ')]), ...store])
  }
  // In turns, after a first time that counts for nothing: others may use the machine too.
  const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]))
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, run] of Object.entries(runs)) {
      const ms = run()
      if (round > 0) times[name].push(ms)
    }
  const least = (name) => Math.round(Math.min(...times[name]))
  const [logs, docs] = ['log', 'doc'].map((table) => Number(cluster.psql(`select count(*) from annals.${table}`)))
  const lines = COMMANDS.map(([command, goal]) => ({ command, goal, ms: least(command) }))
  console.log(JSON.stringify({ megabytes, logs, docs, rounds: ROUNDS, bareMs: least('bare'), lines }))
} finally {
  cluster.remove()
  rmSync(dir, { recursive: true, force: true })
}

function annals(args) {
  return timed([cli, ...args])
}

function timed(args) {
  const env = { PATH: process.env.PATH, HOME: dir, ANNALS_HOME: join(dir, 'home') }
  const start = performance.now()
  const ran = spawnSync(process.execPath, args, { env, encoding: 'utf8', maxBuffer: 1e9 })
  // Nothing found is 1.
  if (ran.status === null || ran.status > 1) throw new Error(ran.stderr)
  return performance.now() - start
}
