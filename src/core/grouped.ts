/** What has the same key, together, in the order of the first of each; what has none is left out. */
export function grouped<T, K>(items: Iterable<T>, keyOf: (item: T) => K | undefined): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>()
  for (const item of items) {
    const key = keyOf(item)
    const same = key === undefined ? undefined : groups.get(key)
    if (same) same.push(item)
    else if (key !== undefined) groups.set(key, [item])
  }
  return groups
}
