import type { Hash } from 'node:crypto'

// Node's modules for these take milliseconds to load, and a command that finds everything at rest needs none of them.
const crypto = () => process.getBuiltinModule('node:crypto')
const zlib = () => process.getBuiltinModule('node:zlib')

/** The SHA-256 of some pieces as one, in hex. */
export function sha256Of(...pieces: readonly (string | Uint8Array)[]): string {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return crypto().hash('sha256', only, 'hex')
  const hash = openSha256()
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

/** A SHA-256 that is made piece by piece. */
export function openSha256(): Hash {
  return crypto().createHash('sha256')
}

/** The CRC-32 of bytes, going on from that of what precedes them. */
export function crc32(bytes: Uint8Array | string, before = 0): number {
  return zlib().crc32(bytes, before)
}
