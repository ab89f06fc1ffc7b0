import { flippedBit } from './manifest-mend.ts'
import { type Damage, ManifestReading, type Parsed } from './manifest-reading.ts'

/** No more than so many flipped bits are looked for. */
const MOST_FLIPS = 64

/** How to read: an `open` manifest may go on behind the end that its first line tells of. */
export interface ParseOptions {
  readonly isOpen?: boolean
}

/**
 * Reads a manifest. Never throws: a line that is not what was written is named and passed over, and the file it is about is
 * marked. Where one flipped bit is all that is wrong, the hashes tell which, and it is turned back.
 */
export function parseManifest(bytes: Buffer | undefined, { isOpen = false }: ParseOptions = {}): Parsed {
  const mended: Damage[] = []
  if (bytes === undefined || bytes.length === 0) return new ManifestReading(Buffer.alloc(0)).parsed([], isOpen)
  let reading = new ManifestReading(bytes)
  const hopeless: number[] = []
  for (let round = 0; reading.canBeFlipped && round < MOST_FLIPS; round++) {
    const bad = reading.bad.find((one) => !hopeless.includes(one.from))
    if (!bad) break
    const bit = flippedBit(bytes, bad)
    if (bit === undefined) hopeless.push(bad.from)
    else {
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7))
      const offset = bit >> 3
      const reason = `a bit of the byte at ${offset} had flipped`
      mended.push({ line: bad.line, offset, length: 1, reason, file: bad.file, mended: true })
      reading = new ManifestReading(bytes)
    }
  }
  return reading.parsed(mended, isOpen)
}
