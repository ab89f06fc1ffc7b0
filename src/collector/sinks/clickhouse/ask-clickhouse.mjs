import { workerData } from 'node:worker_threads'
import { createClient } from '@clickhouse/client'

// Sends questions on as they come; who asks sleeps until the signal changes. Plain JavaScript, so that it runs as it is.
const { port, signal } = workerData
const state = new Int32Array(signal)

port.once('message', ({ options }) => {
  const client = createClient(options)
  const answer = async (query, query_params) =>
    await (await client.query({ query, format: 'JSONEachRow', query_params })).text()
  port.on('message', async ({ number, sql, values }) => {
    try {
      port.postMessage({ number, answer: await answer(sql, values) })
    } catch (error) {
      port.postMessage({ number, error: { name: error.name, message: error.message, code: error.code } })
    }
    Atomics.add(state, 0, 1)
    Atomics.notify(state, 0)
  })
})
