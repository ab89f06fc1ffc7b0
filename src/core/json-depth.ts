/**
 * How deep a value of somebody else may be nested. What is deeper is cut when it is read: `JSON.stringify`, structured clones and every
 * function that recurses end a program at some thousand levels. Claude Code writes about ten.
 */
export const MOST_LEVELS = 1_024

/** A text with less characters than this cannot be nested too deep: each level takes two. */
export const SHORTEST_DEEP_TEXT = 2 * MOST_LEVELS

/** Whether a value from `JSON.parse` has more levels than `MOST_LEVELS`. */
export function isTooDeep(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isDeeperThan(value, MOST_LEVELS)
}

function isDeeperThan(value: object, levels: number): boolean {
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item === 'object' && item !== null && isDeeperThan(item, levels - 1)) return true
    }
    return false
  }
  for (const key in value) {
    const item = (value as Readonly<Record<string, unknown>>)[key]
    if (typeof item === 'object' && item !== null && isDeeperThan(item, levels - 1)) return true
  }
  return false
}

/** A copy in which `…` stands for every object and array below the last level. */
export function cutDeep<T>(value: T, levels?: number): T
export function cutDeep(value: unknown, levels = MOST_LEVELS): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return '…'
  if (Array.isArray(value)) return value.map((item) => cutDeep(item, levels - 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  // Dates and the like are written by their own `toJSON`.
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutDeep(item, levels - 1)]))
}
