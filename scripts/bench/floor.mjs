// What any reader in Node has to do, as a whole process: JSON.parse of every line below a folder, on one core or on all.
// It is also the thread of its own runs on all cores.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort } from 'node:worker_threads'
import { parseLines } from './each-line.mjs'
import { onAllCores } from './on-all-cores.mjs'

if (isMainThread) process.stdout.write(JSON.stringify(await floor(...process.argv.slice(2))))
else parentPort.on('message', ({ path }) => parentPort.postMessage(parseLines(path)))

async function floor(cores, folder) {
  const paths = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(folder, name))
  const logs = paths.map((path) => ({ path, sizeBytes: statSync(path).size }))
  const self = fileURLToPath(import.meta.url)
  const lines = cores === 'all' ? await onAllCores(self, undefined, logs) : sum(paths.map(parseLines))
  return { logs: logs.length, lines, bytes: sum(logs.map((log) => log.sizeBytes)) }
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}
