/**
 * A buffer to read files into. It does not begin where a page of memory begins: some processors copy several times slower
 * from the page cache to an address that ends like the one it comes from.
 */
export function readBuffer(bytes: number): Buffer {
  return Buffer.allocUnsafeSlow(bytes + 64).subarray(64)
}
