/** Reads from a position into some bytes: gives how many, 0 at the end, `undefined` where there is no such file any more. */
export type ReadAt = (offset: number, into: Uint8Array) => number | undefined

/** Fills bytes from a position on and gives how many there were: fewer only at the end. `undefined` when the file is gone. */
export function fill(read: ReadAt, offset: number, into: Uint8Array): number | undefined {
  let filled = 0
  while (filled < into.length) {
    const count = read(offset + filled, into.subarray(filled))
    if (count === undefined) return undefined
    if (count === 0) break
    filled += count
  }
  return filled
}
