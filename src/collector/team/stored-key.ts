/** The key of a row as a store keeps it: below zero (`-1 - key`) for a row on an abandoned branch. A key has 53 bits, so there is no room for one more. */
export function storedKey(key: number, isActive: boolean): number {
  return isActive ? key : -1 - key
}

/** The row's key and whether it is on the active branch. */
export function readStoredKey(stored: number): { readonly key: number; readonly isActive: boolean } {
  return stored >= 0 ? { key: stored, isActive: true } : { key: -1 - stored, isActive: false }
}
