import { createHash } from 'node:crypto'

/** The number of a log: always the same, small enough for every number of JavaScript. */
export function logNumber(machine: string, file: string): number {
  const hash = createHash('sha256').update(`${machine}\0${file}`).digest()
  return Number(hash.readBigUInt64BE() >> 11n)
}
