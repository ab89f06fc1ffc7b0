// Searches an index in this process, and waits for appended lines to be found while `annals index --follow` runs.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'tsdown'

const ROUNDS = 25
const LIMIT = 20
const APPENDS = { count: 20, lines: 5, pauseMs: 200, patienceMs: 120_000, quick: 3, quickMs: 1_500, settleMs: 30_000 }
const SEARCHES = { word: 'turnstile', phrase: '"turnstile counter"', common: 'queue' }

const [cli, dir, root, folder] = process.argv.slice(2)
const { openDatabase, parseQuery, ripgrepPath, Store, toFts } = await bundled()
const store = new Store({ roots: [root], folder })
const { filesRead } = store.update()
if (filesRead > 0) throw new Error('The index is behind: it was made by another version.')
const result = {
  rounds: ROUNDS,
  searches: Object.fromEntries(Object.entries(SEARCHES).map(([name, text]) => [name, measured(text)])),
  lookMs: shortest(() => store.update()),
  tables: largestTables(),
  appended: await followed(),
  rg: ripgrepPath('rg'),
}
store.close()
process.stdout.write(JSON.stringify(result))

/** What the package does not export, made of its source. Where it lies, it finds SQLite as the package does. */
async function bundled() {
  const here = (path) => fileURLToPath(new URL(path, import.meta.url))
  symlinkSync(here('../../node_modules'), join(dir, 'node_modules'), 'junction')
  const outDir = join(dir, 'store')
  const options = { config: false, dts: false, format: 'esm', platform: 'node', fixedExtension: true }
  await build({
    ...options,
    entry: { store: fileURLToPath(import.meta.resolve('./store.mjs')) },
    outDir,
    cwd: here('../..'),
    deps: { alwaysBundle: [/.*/], onlyBundle: false },
    logLevel: 'error',
  })
  return import(pathToFileURL(join(outDir, 'store.mjs')).href)
}

/** A search for the best and for the newest. */
function measured(text) {
  const { total } = search(text, 'time')
  if (total === 0) throw new Error(`${text} is nowhere.`)
  return {
    text,
    total,
    bestMs: shortest(() => search(text, 'relevance')),
    newestMs: shortest(() => search(text, 'time')),
  }
}

function search(text, sort) {
  return store.search(toFts(parseQuery(text)), {}, { sort, limit: LIMIT })
}

function shortest(run) {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now()
    run()
    return performance.now() - start
  })
  return Math.min(...times)
}

/** What the index is made of, the largest first; a SQLite that cannot tell has none. */
function largestTables() {
  const file = readdirSync(folder).find((name) => /^index-\d+\.db$/.test(name))
  const database = openDatabase(join(folder, file))
  try {
    const sizes = 'select name, sum(pgsize) as bytes from dbstat group by name order by bytes desc limit 3'
    return database.prepare(sizes).all()
  } catch {
    return []
  } finally {
    database.close()
  }
}

/** How long five lines take from the end of their append until a search finds them all. */
async function followed() {
  const path = someLog()
  const child = spawn(process.execPath, [cli, 'index', '--follow', '--json', '--root', root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let reports = 0
  child.stdout.on('data', () => reports++)
  const next = async () => {
    const before = reports
    const ms = await appendAndFind(path)
    // Whoever follows has more to bring up to date after an append, and tells when that is done.
    await until(() => reports > before)
    await sleep(APPENDS.pauseMs)
    return ms
  }
  try {
    await until(() => reports > 0)
    // The watcher is not there at once: until then a look at the start, or a sweep, finds what was written.
    const settledBy = performance.now() + APPENDS.settleMs
    for (let quick = 0; quick < APPENDS.quick && performance.now() < settledBy; ) {
      quick = (await next()) < APPENDS.quickMs ? quick + 1 : 0
    }
    const times = []
    for (let i = 0; i < APPENDS.count; i++) times.push(await next())
    times.sort((a, b) => a - b)
    return { ms: times[times.length >> 1], longestMs: times.at(-1), count: times.length, lines: APPENDS.lines }
  } finally {
    child.kill('SIGINT')
    await ended
  }
}

async function appendAndFind(path) {
  const word = `w${randomUUID().replaceAll('-', '')}`
  appendFileSync(path, linesWith(word, basename(path, '.jsonl')))
  const start = performance.now()
  await until(() => search(word, 'time').total === APPENDS.lines)
  return performance.now() - start
}

async function until(isSo) {
  const start = performance.now()
  while (!isSo()) {
    if (performance.now() - start > APPENDS.patienceMs) throw new Error('`index --follow` does not answer.')
    await sleep(1)
  }
}

function linesWith(word, sessionId) {
  const rows = Array.from({ length: APPENDS.lines }, (_, number) => ({
    parentUuid: null,
    isSidechain: false,
    type: 'user',
    message: { role: 'user', content: `${word} ${number}: ${'a prompt of some length '.repeat(40)}` },
    uuid: randomUUID(),
    timestamp: new Date().toISOString(),
    userType: 'external',
    cwd: '/home/ana/work/project-00',
    sessionId,
    version: '2.1.325',
  }))
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

/** A session of middling size. */
function someLog() {
  const projects = join(root, 'projects')
  const paths = readdirSync(projects, { recursive: true }).map((name) => join(projects, name))
  const sessions = paths.filter((path) => /[\\/][\da-f-]{36}\.jsonl$/.test(path))
  return sessions.find((path) => statSync(path).size > 200_000)
}
