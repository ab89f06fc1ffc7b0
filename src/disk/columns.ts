import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** An array of numbers, in one piece or several. */
export type Column = Iterable<ArrayBufferView>

/** So much is compressed at once. */
const STRETCH = 1024 * 1024

/**
 * Columns as bytes: one behind the other, compressed a stretch at a time. Pieces are asked for when their turn comes and let go
 * after it, since those of a huge log would not fit beside their copies. To be joined by who keeps them.
 */
export function packColumns(columns: Iterable<Column>, { compress = true } = {}): readonly Uint8Array[] {
  const lengths: number[] = []
  const packed: Uint8Array[] = []
  let open: Uint8Array[] = []
  let size = 0
  const close = () => {
    const stretch = deflateRawSync(Buffer.concat(open, size), { level: compress ? 1 : 0 })
    packed.push(bytesOf(Uint32Array.of(stretch.length)), stretch)
    open = []
    size = 0
  }
  for (const column of columns) {
    let length = 0
    for (const piece of column) {
      open.push(bytesOf(piece))
      length += piece.byteLength
      size += piece.byteLength
      if (size >= STRETCH) close()
    }
    lengths.push(length)
  }
  if (size > 0) close()
  return [bytesOf(Uint32Array.of(lengths.length, ...lengths)), ...packed]
}

/** The bytes of each column again, to be read as numbers of any width. */
export function unpackColumns(packed: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const count = view.getUint32(0, true)
  const columns = Array.from({ length: count }, (_, i) => new Uint8Array(view.getUint32(4 + i * 4, true)))
  let column = 0
  let filled = 0
  for (let at = 4 + count * 4; at < packed.length; ) {
    const end = at + 4 + view.getUint32(at, true)
    let rest: Uint8Array = inflateRawSync(packed.subarray(at + 4, end))
    at = end
    while (rest.length > 0) {
      const into = columns[column] as Uint8Array
      const part = rest.subarray(0, into.length - filled)
      into.set(part, filled)
      filled += part.length
      rest = rest.subarray(part.length)
      if (filled < into.length) continue
      column += 1
      filled = 0
    }
  }
  return columns
}

/** A column as the numbers that it was made of. */
export function numbersIn<T>(bytes: Uint8Array | undefined, Numbers: NumbersOf<T>): T {
  const { buffer, byteOffset, byteLength } = bytes as Uint8Array
  return new Numbers(buffer, byteOffset, byteLength / Numbers.BYTES_PER_ELEMENT)
}

interface NumbersOf<T> {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T
  readonly BYTES_PER_ELEMENT: number
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
