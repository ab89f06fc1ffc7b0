import { workerData } from 'node:worker_threads'
import postgres from 'postgres'

// Sends questions on as they come and gives each answer when it is there; who asks sleeps until the signal changes. Plain JavaScript, so that it runs
// as it is.
const { port, signal } = workerData
const state = new Int32Array(signal)
const TOO_MANY_CONNECTIONS = '53300'

port.once('message', ({ options }) => {
  // A driver connects with its first question: most commands need no second connection.
  const [first, second] = [0, 1].map(() => postgres({ ...options, onnotice: () => {} }))
  // Several statements in one message are one transaction, and one way there and back.
  const over = async (sql, text) => [...(await sql.unsafe(text).simple()).at(-1)]
  const answer = async (text, isBeside) => {
    if (!isBeside) return await over(first, text)
    try {
      return await over(second, text)
    } catch (error) {
      if (error.code !== TOO_MANY_CONNECTIONS) throw error
      return await over(first, text)
    }
  }
  port.on('message', async ({ number, text, isBeside }) => {
    try {
      port.postMessage({ number, answer: await answer(text, isBeside) })
    } catch (error) {
      port.postMessage({ number, error: { name: error.name, message: error.message, code: error.code } })
    }
    Atomics.add(state, 0, 1)
    Atomics.notify(state, 0)
  })
})
