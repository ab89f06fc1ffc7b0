// Measures redaction on one core: `node scripts/bench/redact.mjs DIST DIR` reads logs of DIR/large, which hold no secret, and
// prints the figures as JSON. Parsing and writing the same lines is the floor: whoever redacts a log does that as well.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROUNDS = 5
const MOST_BYTES = 60e6

const [dist, dir] = process.argv.slice(2)
const { createRedactor } = await import(pathToFileURL(join(dist, 'index.mjs')).href)
const redactor = createRedactor({ key: new Uint8Array(32) })
const { lines, bytes } = readLines(join(dir, 'large'))
const values = lines.map((line) => JSON.parse(line))
const strings = values.flatMap((value) => [...stringsIn(value)])

const jobs = {
  floor: () => sum(lines, (line) => JSON.stringify(JSON.parse(line)).length > 0),
  value: () => sum(values, (value) => redactor.value(value).found.length === 0),
  text: () => sum(strings, (text) => redactor.scan(text).length === 0),
  whole: () => sum(lines, (line) => JSON.stringify(redactor.value(JSON.parse(line)).value).length > 0),
}
const ms = {}
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, job] of Object.entries(jobs)) {
    const start = performance.now()
    const clean = job()
    ms[name] = Math.min(ms[name] ?? Number.POSITIVE_INFINITY, performance.now() - start)
    // What is masked costs more: these figures are of clean text, or they mean nothing.
    const all = name === 'text' ? strings.length : lines.length
    if (clean !== all) throw new Error(`Of ${all}, ${all - clean} hold what looks like a secret.`)
  }
}
const textBytes = strings.reduce((total, text) => total + Buffer.byteLength(text), 0)
process.stdout.write(JSON.stringify({ rounds: ROUNDS, lines: lines.length, bytes, textBytes, ms }))

/** Whole lines of the first logs, up to so many bytes. */
function readLines(root) {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'))
  const found = []
  let bytes = 0
  for (const path of paths.sort()) {
    for (const line of readFileSync(join(root, path), 'utf8').split('\n')) {
      if (line === '' || bytes >= MOST_BYTES) continue
      found.push(line)
      bytes += Buffer.byteLength(line) + 1
    }
  }
  return { lines: found, bytes }
}

function* stringsIn(value) {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) yield* stringsIn(one)
}

function sum(items, isClean) {
  let count = 0
  for (const item of items) if (isClean(item)) count++
  return count
}
