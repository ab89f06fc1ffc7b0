// Measures in this process, on one core and on all: what any reader must do, and what ours does. It is also the thread
// of its own runs on all cores.
import { closeSync, openSync, readSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { eachLine, newBuffer, parseLines, parseRange } from './each-line.mjs'
import { onAllCores } from './on-all-cores.mjs'

const ROUNDS = { long: 5, short: 25 }
const PAGE = { records: 50, bytes: Number.POSITIVE_INFINITY }

const [task, dist, dir] = isMainThread ? process.argv.slice(2) : workerData
// The floors do without the package, so a thread that measures one does not load it.
const annals = task === 'parse' ? undefined : await import(pathToFileURL(join(dist, 'disk.mjs')).href)
const source = annals?.diskSource(isMainThread ? [join(dir, 'large')] : [])
const buffer = newBuffer(1 << 20)

/** What can be done with one log. Each gives how many lines or records it saw. */
const jobs = {
  read: ({ path }) => {
    const file = openSync(path)
    while (readSync(file, buffer) > 0);
    closeSync(file)
    return 0
  },
  scan: ({ path }) => eachLine(path, () => {}),
  parse: ({ path }) => parseLines(path),
  records: (entry) => annals.readLogFile(source, entry, { record() {} }).records,
}

if (!isMainThread) parentPort.on('message', (entry) => parentPort.postMessage(jobs[task](entry)))
else if (task === 'times') process.stdout.write(JSON.stringify(await times()))
else for (const entry of logsIn(source)) jobs[task](entry)

async function times() {
  const logs = logsIn(source)
  const huge = logs.reduce((a, b) => (a.sizeBytes > b.sizeBytes ? a : b))
  const self = fileURLToPath(import.meta.url)
  const { readHead, readTail } = annals
  const long = await takeTurns(ROUNDS.long, {
    ...Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, () => sum(logs.map(job))])),
    parseAll: () => onAllCores(self, ['parse'], logs),
    recordsAll: () => onAllCores(self, ['records', dist], logs),
  })
  const short = await takeTurns(ROUNDS.short, {
    headFloor: parsePage(huge, readHead(source, huge, PAGE)),
    head: () => readPage(readHead, huge),
    tailFloor: parsePage(huge, readTail(source, huge, PAGE)),
    tail: () => readPage(readTail, huge),
  })
  mustAgree(long.seen, ['scan', 'parse', 'records', 'parseAll', 'recordsAll'])
  mustAgree(short.seen, ['headFloor', 'head', 'tailFloor', 'tail'])
  const small = logsIn(annals.diskSource([join(dir, 'small')]))
  const sessions = small.filter(({ root, path }) => annals.placeOf(relative(root, path)).kind === 'session').length
  const lines = long.seen.scan
  const root = { logs: logs.length, lines, bytes: sum(logs.map((log) => log.sizeBytes)), huge: huge.sizeBytes }
  return { ms: { ...long.ms, ...short.ms }, rounds: ROUNDS, sessions, ...root }
}

function logsIn(source) {
  return source.list().filter(({ path }) => path.endsWith('.jsonl'))
}

/** Ours and the floor take turns, so that a busy moment of the machine hits both. Keeps the shortest time of each. */
async function takeTurns(rounds, runs) {
  const ms = {}
  const seen = {}
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(runs)) {
      const start = performance.now()
      seen[name] = await run()
      ms[name] = Math.min(ms[name] ?? Number.POSITIVE_INFINITY, performance.now() - start)
    }
  }
  return { ms, seen }
}

/** A time means nothing if one side did less than the other. */
function mustAgree(seen, names) {
  const counts = names.map((name) => `${name} ${seen[name]}`)
  if (new Set(names.map((name) => seen[name])).size > 1) throw new Error(`These differ: ${counts.join(', ')}.`)
}

function parsePage({ path }, { from, to }) {
  return () => parseRange(path, from, to)
}

function readPage(read, entry) {
  const { records } = read(source, entry, PAGE)
  source.close()
  return records.length
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}
