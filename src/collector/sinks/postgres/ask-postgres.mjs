import { workerData } from 'node:worker_threads'
import postgres from 'postgres'

// Answers one question after the other; who asks sleeps until the signal is set. Plain JavaScript, so that it runs as it is.
const { port, signal, options, always } = workerData
const sql = postgres({ ...options, onnotice: () => {} })
const state = new Int32Array(signal)

async function answer({ text, values, settings }) {
  return await sql.begin('read only', async (tx) => {
    await tx.unsafe(always)
    for (const [name, value] of Object.entries(settings)) await tx`select set_config(${name}, ${value}, true)`
    return [...(await tx.unsafe(text, values))]
  })
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
