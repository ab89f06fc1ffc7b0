import { parentPort } from 'node:worker_threads'
import { digestOf } from '../core/digest.ts'
import { startCursor } from './cursor.ts'
import { diskSource } from './disk-source.ts'
import { type FactsJob, type PackedLog, packLog } from './facts-cache.ts'
import { packDigest } from './kept-facts.ts'
import { readFacts } from './log-facts.ts'

/** A thread that reads one log after the other for its facts, and packs them to be kept, or the digest alone. */
const source = diskSource([])

parentPort?.on('message', (job: FactsJob) => parentPort?.postMessage(made(job)))

function made({ entry, isKept }: FactsJob): PackedLog | undefined {
  const known = readFacts(source, entry)
  const digest = known && digestOf(known.facts, known.totals)
  if (!known || !digest) return undefined
  if (isKept) return packLog(source, entry, known, digest)
  return { path: entry.path, cursor: startCursor(entry), facts: null, digest: packDigest(digest, { compress: false }) }
}
