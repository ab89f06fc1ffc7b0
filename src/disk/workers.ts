import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { checkFile, type FileCheck } from './check-file.ts'
import type { Source, SourceEntry } from './source.ts'

/** Below this, starting threads costs more than it saves. */
const WORTH_BYTES = 24 * 1024 * 1024

/** Checks logs on all cores, or on this one where there is little to do. The order of the results is that of `entries`. */
export async function checkFiles(
  source: Source,
  entries: readonly SourceEntry[],
  progress: (doneBytes: number, totalBytes: number) => void,
): Promise<readonly FileCheck[]> {
  const total = entries.reduce((sum, entry) => sum + entry.sizeBytes, 0)
  let done = 0
  const tell = (entry: SourceEntry) => {
    done += entry.sizeBytes
    progress(done, total)
  }
  const script = fileURLToPath(new URL('./check-worker.mjs', import.meta.url))
  if (total < WORTH_BYTES || entries.length < 2 || !existsSync(script)) {
    return entries.flatMap((entry) => {
      const result = checkFile(source, entry)
      tell(entry)
      return result ?? []
    })
  }
  const results: (FileCheck | undefined)[] = new Array(entries.length)
  // The largest first, so that no thread is left alone with one at the end.
  const queue = entries
    .map((_, i) => i)
    .sort((a, b) => (entries[a] as SourceEntry).sizeBytes - (entries[b] as SourceEntry).sizeBytes)
  const count = Math.min(availableParallelism(), entries.length)
  await Promise.all(
    Array.from({ length: count }, () =>
      drain(
        script,
        () => {
          const index = queue.pop()
          return index === undefined ? undefined : { index, entry: entries[index] as SourceEntry }
        },
        (index, result) => {
          results[index] = result
          tell(entries[index] as SourceEntry)
        },
      ),
    ),
  )
  return results.filter((result) => result !== undefined)
}

interface Job {
  readonly index: number
  readonly entry: SourceEntry
}

function drain(
  script: string,
  next: () => Job | undefined,
  give: (index: number, result: FileCheck | undefined) => void,
): Promise<void> {
  const worker = new Worker(script)
  return new Promise<void>((resolve, reject) => {
    const send = () => {
      const job = next()
      if (job) worker.postMessage(job)
      else resolve()
    }
    worker.on('message', ({ index, result }: { index: number; result: FileCheck | undefined }) => {
      give(index, result)
      send()
    })
    worker.on('error', reject)
    send()
  }).finally(() => worker.terminate())
}
