/**
 * Memory for the numbers of a huge log. It is asked for in slabs of a size that allocators take from the system by itself, and give
 * back as soon as it is let go; in smaller pieces it would stay with the process. What is not written to takes no memory.
 */
export const SLAB_BYTES = 36 * 1024 * 1024

/** Arrays larger than this one are worth a slab of their own. */
const LARGE_BYTES = 4 * 1024 * 1024

/** Room for so many bytes, all zero. */
export function roomFor(bytes: number): ArrayBuffer {
  return new ArrayBuffer(bytes > LARGE_BYTES ? Math.max(bytes, SLAB_BYTES) : bytes)
}
