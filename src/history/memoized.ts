/** Computes a value from an object once, and keeps it as long as the object. The function that computes it is the key. */
export type Derive<Owner> = <T>(compute: (owner: Owner) => T) => T

/** Memoizes values derived from an object: a field of it, instead of a cache beside it. */
export function memoized<Owner>(owner: () => Owner): Derive<Owner> {
  const values = new Map<unknown, unknown>()
  return <T>(compute: (owner: Owner) => T): T => {
    if (!values.has(compute)) values.set(compute, compute(owner()))
    return values.get(compute) as T
  }
}
