import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { endThread } from './end-thread.ts'

const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite')

/** A thread that is inside SQLite nearly all the time; broken off there, it takes the whole process with it. */
const BUSY = `
const { parentPort } = require('node:worker_threads')
const { DatabaseSync } = require(${JSON.stringify(sqlite)})
const database = new DatabaseSync(':memory:')
parentPort.on('message', (told) => {
  if (told === 'end') process.exit(7)
  parentPort.postMessage('begun')
  const until = performance.now() + 300
  while (performance.now() < until) database.prepare('select ?').all(1)
})
`

test('a thread that is inside SQLite ends when it has come out of it', async () => {
  for (let round = 0; round < 3; round++) {
    const worker = new Worker(BUSY, { eval: true })
    worker.postMessage('work')
    await once(worker, 'message')
    const [[code]] = await Promise.all([once(worker, 'exit'), endThread(worker)])
    expect(code).toBe(7)
  }
})

test('one that does not listen is broken off after a while, and one that has ended is let be', async () => {
  const worker = new Worker('while (true) {}', { eval: true })
  await once(worker, 'online')
  await endThread(worker, 10)
  expect(worker.threadId).toBe(-1)
  await endThread(worker)
})
