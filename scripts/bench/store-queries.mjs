// How long a team store takes for what people ask of it, at a million responses or, by its argument, at ten: as a reader, not as its owner.
// node scripts/bench/store-queries.mjs [rows] ; needs a build, for the command line.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundled } from './team-rows.mjs'

const rows = Number(process.argv[2] ?? 1_000_000)
const PEOPLE = 300
const ROUNDS = 3
const LOGS = Math.max(PEOPLE, rows / 500)
const MONTH = `(date_trunc('month', now()) - interval '1 month')::date`
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'annals-bench-store-'))
const { cluster: parts } = await bundled(dir, { cluster: '../../src/collector/sinks/postgres/cluster.ts' })
const bin = parts.findPostgres(process.env.PATH ?? '')
if (bin === undefined) {
  console.log(JSON.stringify({ missing: 'PostgreSQL is not installed: that part was not measured.' }))
  process.exit(0)
}
const cluster = parts.startCluster(bin, { shared_buffers: '1GB', max_wal_size: '8GB', work_mem: '64MB', jit: 'off' })
try {
  annals('postgres', 'team', 'migrate')
  const start = performance.now()
  cluster.psql(FILL())
  const fillMs = Math.round(performance.now() - start)
  cluster.psql('create role lena login in role annals_reader')
  cluster.psql(`insert into annals.granted values ('lena', '*'); vacuum analyze`)
  const figures = {
    rows,
    people: PEOPLE,
    logs: LOGS,
    fillMs,
    storeMb: Math.round(Number(cluster.psql('select pg_database_size(current_database())')) / 1e6),
    lines: [
      { what: 'usage of a month by day', ...sql(`select * from annals.usage_by_day where month = ${MONTH}`) },
      { what: 'usage of a month by project', ...sql(`select * from annals.usage_by_project where month = ${MONTH}`) },
      { what: 'search of a rare word, first page', ...sql(`select * from annals.search('w77') limit 20`) },
      { what: 'search of a word in every record, first page', ...sql(`select * from annals.search('gate') limit 20`) },
      { what: 'annals usage --since 30d', ...whole('lena', 'usage', '--since', '30d') },
      { what: 'annals sessions --limit 20', ...whole('lena', 'sessions', '--limit', '20') },
      { what: 'annals search of a rare word', ...whole('lena', 'search', 'w77') },
      { what: 'annals search of a word in every record', ...whole('lena', 'search', 'gate') },
    ],
  }
  console.log(JSON.stringify(figures, null, 2))
} finally {
  cluster.remove()
  rmSync(dir, { recursive: true, force: true })
}

/** The shortest of three: the time on the clock, and what the server's process worked, in milliseconds. Others may use the machine too. */
function sql(text) {
  const runs = Array.from({ length: ROUNDS }, () => asked(text))
  const least = (name) => Math.min(...runs.map((run) => run[name]))
  return { ms: least('ms'), serverCpuMs: least('serverCpuMs') }
}

function asked(text) {
  const said = cluster.psql(
    `set role lena; set enable_sort = off; select 'pid ' || pg_backend_pid(); \\timing on\n${text};\n\\timing off\n\\! cat /proc/*/stat 2>/dev/null\n`,
  )
  const pid = /^pid (\d+)$/m.exec(said)?.[1]
  const stat = new RegExp(`^${pid} \\(.*?\\) (.*)$`, 'm').exec(said)?.[1].split(' ')
  return {
    ms: Number(/Time: ([\d.]+) ms/.exec(said)?.[1]),
    serverCpuMs: stat && 10 * (Number(stat[11]) + Number(stat[12])),
  }
}

/** The same of a whole process. */
function whole(...args) {
  const runs = Array.from({ length: ROUNDS }, () => annals(...args).ms)
  return { ms: Math.min(...runs) }
}

function annals(user, ...args) {
  const env = { PATH: process.env.PATH, HOME: dir, ANNALS_HOME: join(dir, 'home') }
  const start = performance.now()
  const store = cluster.url('postgres', user)
  const ran = spawnSync(process.execPath, [here('../../dist/cli.cjs'), ...args, '--store', store, '--json'], {
    env,
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  if (ran.status === 2) throw new Error(ran.stderr)
  return { ms: Math.round(performance.now() - start) }
}

/** Responses of a year: three hundred people, fifty projects, three models. */
function FILL() {
  const spread = (count) =>
    `date_trunc('month', now()) - interval '11 months' + n * interval '${(330 * 86_400) / count} seconds'`
  const at = spread(rows)
  // A log ends with its last response: lists and sums of some days pass over those that ended before.
  const begun = spread(LOGS)
  const ended = `${begun} + interval '${(330 * 86_400) / LOGS} seconds'`
  const fact = JSON.parse(readFileSync(here('./store-fact.json'), 'utf8'))
  const said = JSON.stringify(fact).replace(`"ended":${fact.fact.ended}`, '"ended":ENDED')
  const told = `replace($fact$${said}$fact$, 'ENDED', floor(extract(epoch from ${ended}) * 1000)::text)`
  return `
  set synchronous_commit = off;
  set maintenance_work_mem = '1GB';
  -- Made after the rows, which takes a fraction of the time.
  drop index annals.doc_words_idx, annals.held_message_idx;
  insert into annals.machine (id, person, name, role, speaker)
    select 'machine-' || n, 'person ' || n, 'm', 'postgres', 'machine-' || n from generate_series(0, ${PEOPLE - 1}) n;
  insert into annals.person select 'person ' || n, 'team ' || n % 20, null from generate_series(0, ${PEOPLE - 1}) n;
  insert into annals.session (machine, file, generation, session, project, person, first_at, last_at)
    select 'machine-' || n % ${PEOPLE}, 'f' || n, 1, 's' || n, 'project ' || n % 50, 'person ' || n % ${PEOPLE},
      now() - interval '11 months', now() from generate_series(0, ${LOGS - 1}) n;
  insert into annals.log (machine, file, generation, person, projects, place, reached, bytes, records, first_at, last_at, facts, turns, calls)
    select 'machine-' || n % ${PEOPLE}, 'f' || n, 1, 'person ' || n % ${PEOPLE}, array['project ' || n % 50],
      'machine-' || n % ${PEOPLE} || '/main/projects/-home-p' || n % 50 || '/s' || n || '.jsonl', 1, 1, ${Math.round(rows / LOGS)}, ${begun}, ${ended},
       ${told}, '[]', '{"calls":[],"places":[]}' from generate_series(0, ${LOGS - 1}) n;
  insert into annals.billed
    select 'msg_' || n, 'req_' || n, 'machine-' || g % ${PEOPLE}, 'person ' || g % ${PEOPLE}, 'project ' || g % 50, 's' || g, null, at,
      date_trunc('month', at)::date, at::date, 'claude-sonnet-4-5', 100, 500, 20000, 1000, 0, 0
    from (select n, n * ${LOGS} / ${rows} as g, ${at} as at from generate_series(0::bigint, ${rows - 1}) n) t;
  insert into annals.held
    select 1 + g, n, date_trunc('month', at)::date, false, 'msg_' || n, 'req_' || n, 'claude-sonnet-4-5', null, 1, 1, 1, 1,
      (extract(epoch from at) * 1000)::bigint, 1, 0, 0, 0, 1, 1, 0, 100, 500, 20000, 1000, 0, 0, null, 0, 0, 0
    from (select n, n * ${LOGS} / ${rows} as g, ${at} as at from generate_series(0::bigint, ${rows - 1}) n) t;
  insert into annals.doc
    select 1 + g, n, date_trunc('month', at)::date, 1, 1, 1, (extract(epoch from at) * 1000)::bigint, 'user', 'prompt', null, null, null,
      null, false, n, false, ('''gate'':1 ''w' || n % ${Math.max(1, Math.floor(rows / 20))} || ''':2 ''x' || n % 997 || ''':3')::tsvector
    from (select n, n * ${LOGS} / ${rows} as g, ${at} as at from generate_series(0::bigint, ${rows - 1}) n) t;
  create index on annals.doc using gin (words);
  create index on annals.held (message);
  do $do$ begin perform annals.sum_logs(array(select id from annals.log)); end $do$;`
}
