// Work on logs by as many threads as there are cores.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** Gives each thread the largest log that is left; the sum of what they saw. Starting them is part of the time. */
export async function onAllCores(script, data, entries) {
  const queue = entries.toSorted((a, b) => a.sizeBytes - b.sizeBytes)
  let seen = 0
  const drain = async () => {
    const thread = new Worker(script, { workerData: data })
    await new Promise((resolve, reject) => {
      const next = () => (queue.length > 0 ? thread.postMessage(queue.pop()) : resolve())
      thread.on('error', reject).on('message', (result) => {
        seen += result.totals?.records ?? result
        next()
      })
      next()
    })
    await thread.terminate()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, drain))
  return seen
}
