import { workerData } from 'node:worker_threads'
import { createClient } from '@clickhouse/client'

// Answers one question after the other; who asks sleeps until the signal is set. Plain JavaScript, so that it runs as it is.
const { port, signal, options } = workerData
const client = createClient(options)
const state = new Int32Array(signal)

async function answer({ sql, values }) {
  const found = await client.query({ query: sql, format: 'JSONEachRow', query_params: values })
  return await found.text()
}

port.on('message', async (question) => {
  try {
    port.postMessage({ answer: await answer(question) })
  } catch (error) {
    port.postMessage({ error: { name: error.name, message: error.message, code: error.code } })
  }
  Atomics.store(state, 0, 1)
  Atomics.notify(state, 0)
})
