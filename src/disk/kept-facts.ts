import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { KnownFacts } from './log-facts.ts'

/** Facts as bytes, for a cache that hands them back to the same version of this file. */
export function packFacts(known: KnownFacts): Uint8Array {
  return deflateRawSync(serialize(known), { level: 1 })
}

/** `file` is where the log lies now. */
export function unpackFacts(bytes: Uint8Array, file: string): KnownFacts {
  const known = deserialize(inflateRawSync(bytes)) as KnownFacts
  const usage = known.facts.usage.map((row) => ({ ...row, place: { ...row.place, file } }))
  return { ...known, facts: { ...known.facts, usage } }
}
