// How fast rows come into PostgreSQL through the sink, next to COPY of the same rows in the same run.
// node scripts/bench/postgres.mjs [megabytes] [all|none] [root]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundled, cut, makeRows } from './team-rows.mjs'

const ROUNDS = 3
const TABLES = ['record', 'response', 'tool_call']

const [megabytes = '64', content = 'all', given] = process.argv.slice(2)
const dir = mkdtempSync(join(tmpdir(), 'annals-bench-pg-'))
const below = '../../src/collector/sinks/postgres'
const parts = await bundled(dir, { sink: `${below}.ts`, cluster: `${below}/cluster.ts`, store: `${below}/store.ts` })
const bin = parts.cluster.findPostgres(process.env.PATH ?? '')
if (bin === undefined) {
  console.log(JSON.stringify({ missing: 'PostgreSQL is not installed: that part was not measured.' }))
  process.exit(0)
}
// As a server is really run: the disk is waited for at each commit.
const cluster = parts.cluster.startCluster(bin, { fsync: 'on', shared_buffers: '512MB', max_wal_size: '4GB' })
try {
  const root = given ?? join(dir, 'root')
  if (given === undefined) parts.testing.generateRoot(root, { bytes: Number(megabytes) * 1_000_000 })
  const rows = makeRows(parts, root, content)
  const rawBytes = rows.reduce((sum, { content: bytes }) => sum + bytes.length, 0)
  const results = []
  for (let round = 0; round < ROUNDS; round++) results.push(await measure(rows, round))
  const best = (key) => Math.min(...results.map((one) => one[key]))
  const figures = {
    rows: rows.length,
    bytes: rawBytes,
    rounds: ROUNDS,
    content,
    lines: [
      { what: 'COPY into the same tables', ms: best('copyMs') },
      { what: 'COPY into tables with the same keys, no partitions', ms: best('likeMs') },
      { what: 'COPY into bare tables without keys', ms: best('bareMs') },
      { what: 'the sink', ms: best('sinkMs'), isSink: true },
      { what: 'the sink, all of it sent again', ms: best('againMs') },
      { what: 'reading it for lists, sums and search, afterwards', ms: best('wordsMs') },
    ],
    storeMb: results[0].storeMb,
    indexMb: results[0].indexMb,
  }
  console.log(JSON.stringify(figures))
} finally {
  cluster.remove()
  rmSync(dir, { recursive: true, force: true })
}

async function measure(rows, round) {
  const [database, floor] = [`bench_${round}`, `floor_${round}`]
  for (const name of [database, floor]) {
    cluster.psql(`create database ${name}`)
    await parts.store.migratePostgres(cluster.url(name))
  }
  if (round === 0) cluster.psql('create role bench_box login in role annals_collector')
  // As collectors are: a role that may insert, for its own machine.
  const sink = parts.sink.postgresSink(cluster.url(database, 'bench_box'))
  const machine = { id: rows[0].machine, user: 'ana', name: null }
  await sink.open(machine)
  const batches = cut(rows, machine)
  const deliverAll = async () => {
    cluster.psql('checkpoint', database)
    const start = performance.now()
    for (const batch of batches) await sink.deliver(batch)
    return performance.now() - start
  }
  const sinkMs = await deliverAll()
  const againMs = await deliverAll()
  // The end waits until what was delivered is read: lists, sums and words.
  const start = performance.now()
  await sink.close()
  const wordsMs = performance.now() - start
  const [store, indexes] = cluster
    .psql(
      `select sum(pg_total_relation_size(c.oid)), sum(pg_indexes_size(c.oid)) from pg_class c
        join pg_namespace n on n.oid = relnamespace where nspname = 'annals' and relkind = 'r'`,
      database,
    )
    .trim()
    .split('|')
  const counts = copyOut(database)
  const times = Object.fromEntries(['copy', 'like', 'bare'].map((kind) => [`${kind}Ms`, copyIn(floor, kind, counts)]))
  for (const name of [database, floor]) cluster.psql(`drop database ${name}`)
  const mb = (bytes) => Math.round(Number(bytes) / 1e6)
  return { sinkMs, againMs, wordsMs, ...times, storeMb: mb(store), indexMb: mb(indexes) }
}

function copyOf(table) {
  return join(cluster.folder, `${table}.copy`)
}

/** Writes what the sink brought in as files of COPY's own format; gives how many rows each has. */
function copyOut(database) {
  return TABLES.map((table) => {
    cluster.psql(`copy (select * from annals.${table}) to '${copyOf(table)}' (format binary)`, database)
    return Number(cluster.psql(`select count(*) from annals.${table}`, database))
  })
}

/**
 * COPY of those files by psql, as the owner, each table in one statement and one commit: nothing is made, nothing is looked for.
 * `copy` goes into the tables of a store, `like` into tables with their keys but no partitions, `bare` into ones without keys.
 */
function copyIn(database, kind, counts) {
  const nameOf = (table) => (kind === 'copy' ? `annals.${table}` : `${kind}_${table}`)
  const like = kind === 'like' ? 'including all' : 'including storage including compression'
  if (kind !== 'copy') {
    for (const table of TABLES) cluster.psql(`create table ${nameOf(table)} (like annals.${table} ${like})`, database)
  }
  cluster.psql('checkpoint', database)
  const lines = TABLES.map((table) => `\\copy ${nameOf(table)} from '${copyOf(table)}' (format binary)`)
  // What psql itself measures: starting it is no part of COPY.
  const said = cluster.psql(['\\timing on', ...lines, ''].join('\n'), database)
  const times = [...said.matchAll(/Time: ([\d.]+) ms/g)].map(([, ms]) => Number(ms))
  const found = TABLES.map((table) => Number(cluster.psql(`select count(*) from ${nameOf(table)}`, database)))
  if (times.length !== TABLES.length || found.join() !== counts.join())
    throw new Error('COPY has not brought all rows.')
  return times.reduce((sum, ms) => sum + ms, 0)
}
