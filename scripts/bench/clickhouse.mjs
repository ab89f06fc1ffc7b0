// How fast rows come into ClickHouse through the sink, beside the engine's own insert of the same rows in the same run; what they
// take there; and how long questions take at 1 and 10 million rows. `ANNALS_CLICKHOUSE=1` installs the engine.
// node scripts/bench/clickhouse.mjs [megabytes] [millions of rows, …]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installedChdb, openDoor } from '../../tests/support/clickhouse-engine.mjs'
import { bundled, cut, makeRows } from './team-rows.mjs'

const [megabytes = '64', millions = '1,10'] = process.argv.slice(2)
const flag = process.env.ANNALS_CLICKHOUSE ?? ''
if (flag === '') {
  const missing = 'ANNALS_CLICKHOUSE is not set: ClickHouse was not measured.'
  console.log(JSON.stringify({ missing }))
  process.exit(0)
}
const ROUNDS = 3
const dir = mkdtempSync(join(tmpdir(), 'annals-bench-ch-'))
const below = '../../src/collector/sinks/clickhouse'
const parts = await bundled(dir, {
  sink: `${below}.ts`,
  address: `${below}/address.ts`,
  connect: `${below}/connect.ts`,
  derived: `${below}/derived.ts`,
  stored: `${below}/stored-row.ts`,
  words: `${below}/words.ts`,
  query: '../../src/core/search/query.ts',
})
const door = flag.startsWith('clickhouse://') ? { url: flag, close() {} } : await openDoor(installedChdb(console.error))
const store = parts.connect.connect(parts.address.readClickHouseAddress(`${door.url}/system`), { timeoutMs: 3_600_000 })
try {
  const inserted = await inserts()
  const asked = []
  for (const count of millions.split(',').map(Number)) asked.push(await questions(count * 1e6))
  console.log(JSON.stringify({ ...inserted, rounds: ROUNDS, asked }))
} finally {
  await store.close()
  await door.close()
  rmSync(dir, { recursive: true, force: true })
}

async function timed(work) {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The shortest of some rounds. */
async function best(work) {
  const times = []
  for (let round = 0; round < ROUNDS; round++) times.push(await timed(work))
  return Math.round(Math.min(...times))
}

async function inserts() {
  const root = join(dir, 'root')
  parts.testing.generateRoot(root, { bytes: Number(megabytes) * 1_000_000 })
  const rows = makeRows(parts, root, 'all')
  const machine = { id: rows[0].machine, user: 'ana', name: null }
  const batches = cut(rows, machine)
  const results = []
  for (let round = 0; round < ROUNDS; round++) results.push(await inserted(batches, machine, round))
  const shortest = (key) => Math.round(Math.min(...results.map((one) => one[key])))
  return {
    rows: rows.length,
    bytes: rows.reduce((sum, { content }) => sum + content.length, 0),
    lines: [
      { what: "the engine's own insert, the same rows and batches, one bare table", ms: shortest('bareMs') },
      { what: 'the sink', ms: shortest('sinkMs'), isSink: true },
      { what: 'the sink, all of it sent again', ms: shortest('againMs') },
      { what: 'what lists, sums and search ask, afterwards', ms: shortest('factsMs') },
    ],
    tables: results[0].tables,
  }
}

async function inserted(batches, machine, round) {
  const database = `bench_${round}`
  const sink = parts.sink.clickhouseSink(`${door.url}/${database}`, { timeoutMs: 3_600_000 })
  await sink.open(machine)
  const deliverAll = async () => {
    for (const batch of batches) await sink.deliver(batch)
  }
  // The floor: rows made ready before, one request for each batch, no keys looked up and nothing derived.
  await store.run(`create table ${database}.bare as ${database}.record engine = MergeTree order by tuple()`)
  const ready = batches.map(({ rows }) => rows.map(parts.stored.storedRow))
  const bareMs = await timed(async () => {
    for (const some of ready) await store.insert(`${database}.bare`, some)
  })
  await store.run(`drop table ${database}.bare sync`)
  const sinkMs = await timed(deliverAll)
  const againMs = await timed(deliverAll)
  const factsMs = await timed(() => sink.close())
  for (const name of ['record', 'response', 'tool_call', 'doc', 'held', 'log'])
    await store.run(`optimize table ${database}.${name} final`)
  const tables = await store.ask(`select table, sum(rows) as count, sum(bytes_on_disk) as size from system.parts
    where database = '${database}' and active group by table order by size desc`)
  await store.run(`drop database ${database} sync`)
  return { bareMs, sinkMs, againMs, factsMs, tables }
}

/** Made-up rows: three lines for each response, 3,000 people, 500 projects, a year. */
async function questions(count) {
  const database = `asked_${count}`
  const url = `${door.url}/${database}`
  const sink = parts.sink.clickhouseSink(url)
  await sink.open({ id: 'bench-machine', user: null, name: null })
  await sink.close()
  await store.run(`insert into ${database}.response select
    concat('machine-', toString(number % 3000)) as machine, concat('projects/p/', toString(intDiv(number, 600)), '.jsonl') as file, 1 as generation,
    number as offset, concat('person-', toString(number % 3000)) as person, concat('project-', toString(cityHash64(intDiv(number, 600)) % 500)) as project,
    toString(intDiv(number, 600)) as session, '' as agent,
    toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalSecond(intDiv(number * 31000000, ${count})) as at,
    concat('msg_', hex(sipHash64(intDiv(number, 3)))) as message_id, concat('req_', hex(sipHash64(intDiv(number, 3), 1))) as request_id, concat('model-', toString(number % 4)) as model,
    7, number % 900, 20000, 300, 0, 0, 0, 0, now() from numbers(${count})`)
  await store.run(`insert into ${database}.touched (day) select distinct toDate(at) from ${database}.response`)
  const dailyMs = await timed(async () => {
    await store.run(`system refresh view ${database}.daily_of_response`)
    await store.run(`system wait view ${database}.daily_of_response`)
  })
  const docs = Math.round(count / 10)
  await store.run(`insert into ${database}.doc (log, number, time, words, made_at) select intDiv(number, 200), number % 200,
    1767225600000 + number * 1000, concat(' ', arrayStringConcat(arrayMap(i -> concat('w', toString(floor(pow(cityHash64(number, i) % 1000 / 1000, 4) * 60000))), range(60)), ' '), ' '),
    now64(3) from numbers(${docs})`)
  const words = parts.words.wordsCondition(parts.query.parseQuery('w17 w23'))
  const phrase = parts.words.wordsCondition(parts.query.parseQuery('"w17 w23"'))
  const page = ({ sql }) =>
    `select log, offset from ${database}.doc final where ${sql} order by time desc nulls last limit 20`
  const once = (where) => parts.derived.responsesOnce(`${database}.response`, where)
  const month = `at >= '2026-06-01 00:00:00' and at < '2026-07-01 00:00:00'`
  const figures = {
    count,
    docs,
    dailyMs: Math.round(dailyMs),
    monthByDay: await best(() =>
      store.ask(
        `select day, sum(responses), sum(output_tokens) from ${database}.daily final where day >= '2026-06-01' and day < '2026-07-01' group by day`,
      ),
    ),
    byProject: await best(() =>
      store.ask(`select project, sum(responses), sum(output_tokens) from ${database}.daily final group by project`),
    ),
    monthExact: await best(() =>
      store.ask(`select toDate(at) as day, count(), sum(output_tokens) from (${once(month)}) group by day`),
    ),
    totalExact: await best(() => store.ask(`select count(), sum(output_tokens) from (${once('1')})`)),
    search: await best(() => store.ask(page(words), words.values)),
    phrase: await best(() => store.ask(page(phrase), phrase.values)),
  }
  const tables = await store.ask(
    `select table, sum(bytes_on_disk) as size from system.parts where database = '${database}' and active group by table`,
  )
  await store.run(`drop database ${database} sync`)
  return { ...figures, bytes: Object.fromEntries(tables.map(({ table, size }) => [table, Number(size)])) }
}
