// Measures how fast secrets are looked for: `node scripts/bench/redact.mjs DIST ROOT` prints the times as JSON. The root
// is one of `roots.mjs`, so the text is clean.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROUNDS = 5
const MOST_BYTES = 100e6

const [dist, root] = process.argv.slice(2)
const { createRedactor, Library } = await import(pathToFileURL(join(dist, 'index.mjs')).href)
const redactor = createRedactor({ key: new Uint8Array(32) })
const lines = linesOf(root)
const values = lines.map((line) => JSON.parse(line))
const texts = values.flatMap(stringsOf)

const ms = {}
let found = 0
for (let round = 0; round < ROUNDS; round++) {
  // The floor: any reader has to parse before it can look into strings.
  take('parse', () => lines.map((line) => JSON.parse(line)))
  take('text', () => {
    for (const text of texts) found += redactor.scan(text).length
  })
  take('value', () => {
    for (const value of values) found += redactor.value(value).found.length
  })
}
process.stdout.write(JSON.stringify({ ms, bytes: sum(lines), textBytes: sum(texts), records: lines.length, found }))

/** Keeps the shortest time of each, in processor time: other work on the machine must not count. */
function take(name, run) {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  ms[name] = Math.min(ms[name] ?? Number.POSITIVE_INFINITY, (user + system) / 1e3)
}

function linesOf(folder) {
  const library = new Library({ roots: [folder] })
  const all = []
  let bytes = 0
  for (const { log } of library.sessions()) {
    if (bytes > MOST_BYTES) break
    const text = readFileSync(log.path, 'utf8')
    bytes += text.length
    all.push(...text.split('\n').filter((line) => line !== ''))
  }
  library.close()
  return all
}

function stringsOf(value) {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : []
}

function sum(strings) {
  return strings.reduce((total, { length }) => total + length, 0)
}
