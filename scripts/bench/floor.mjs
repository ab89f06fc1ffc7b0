// What any reader in Node has to do, as a whole process: JSON.parse of every line below a folder, on one core or on all.
// It is also the thread of its own runs on all cores.
import { readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { parseLines } from './each-line.mjs'

if (isMainThread) process.stdout.write(JSON.stringify(await floor(...process.argv.slice(2))))
else parentPort.on('message', (path) => parentPort.postMessage(parseLines(path)))

async function floor(cores, folder) {
  const paths = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(folder, name))
  const logs = paths.map((path) => ({ path, bytes: statSync(path).size })).sort((a, b) => a.bytes - b.bytes)
  const bytes = sum(logs.map((log) => log.bytes))
  const lines = cores === 'all' ? await onAllCores(logs) : sum(logs.map(({ path }) => parseLines(path)))
  return { logs: paths.length, lines, bytes }
}

/** Threads take the largest log first. */
async function onAllCores(queue) {
  let lines = 0
  const drain = async () => {
    const thread = new Worker(fileURLToPath(import.meta.url))
    await new Promise((resolve, reject) => {
      const next = () => (queue.length > 0 ? thread.postMessage(queue.pop().path) : resolve())
      thread.on('error', reject).on('message', (count) => {
        lines += count
        next()
      })
      next()
    })
    await thread.terminate()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, drain))
  return lines
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}
