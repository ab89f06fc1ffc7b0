import { parentPort } from 'node:worker_threads'
import { digestOf } from '../core/digest.ts'
import { diskSource } from './disk-source.ts'
import { packLog } from './facts-cache.ts'
import { readFacts } from './log-facts.ts'
import type { SourceEntry } from './source.ts'

/** A thread that reads one log after the other for its facts, and packs them to be kept. */
const source = diskSource([])

parentPort?.on('message', (entry: SourceEntry) => {
  const known = readFacts(source, entry)
  const packed = known && packLog(source, entry, known, digestOf(known.facts, known.totals))
  parentPort?.postMessage(packed)
})
