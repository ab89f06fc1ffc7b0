import { TOKEN_BYTES } from '../../core/usage/token-bytes.ts'

/**
 * An estimate of the tokens that a model takes for a text: a quarter of its UTF-8 bytes, rounded up. English and code come to
 * a little more, and JSON, ids and base64 to a lot more, so what is said to be saved against a raw log is rather too little.
 */
export function estimateTokens(text: string | number): number {
  return Math.ceil((typeof text === 'number' ? text : Buffer.byteLength(text)) / TOKEN_BYTES)
}

/** What a text is worth to whoever reads the session later; `kept` is what a person asked, planned or got, and what failed. */
export type Worth = 'kept' | 'said' | 'task' | 'note' | 'thinking' | 'input' | 'result'

/** Something that can be shortened, with what it takes at a given length. */
export interface Shortenable {
  readonly worth: Worth
  /** Characters that it may have. */
  limit: number
  bytesAt(limit: number): number
}

/** What is shortened, and to how many characters: the least valuable first, the oldest of it first. */
const STAGES: readonly (readonly [Worth, number])[] = [
  ['result', 40_000],
  ['result', 12_000],
  ['note', 4_000],
  ['input', 12_000],
  ['result', 4_000],
  ['thinking', 4_000],
  ['result', 1_200],
  ['note', 400],
  ['input', 600],
  ['thinking', 800],
  ['task', 2_000],
  ['result', 160],
  ['result', 0],
  ['input', 80],
  ['input', 0],
  ['thinking', 120],
  ['thinking', 0],
  ['note', 0],
  ['task', 300],
  ['said', 400],
  ['task', 0],
  ['said', 0],
]

/**
 * Shortens texts, given oldest first, until all together take no more than `target` bytes where they took `bytes`. Gives what
 * they take then: more than the target where only what must be kept is left.
 */
export function shorten(texts: readonly Shortenable[], bytes: number, target: number): number {
  let now = bytes
  for (const [worth, limit] of STAGES) {
    for (const text of texts) {
      if (now <= target) return now
      if (text.worth !== worth || text.limit <= limit) continue
      now += text.bytesAt(limit) - text.bytesAt(text.limit)
      text.limit = limit
    }
  }
  return now
}
