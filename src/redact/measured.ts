import { cleanMessage } from './made-clean.ts'
import { encodings, longestLeft } from './made-encodings.ts'
import { families, seeded } from './made-secrets.ts'
import { createRedactor } from './redactor.ts'

/** How well each family is found in each encoding: shares between 0 and 1. */
export interface Recall {
  readonly kind: string
  readonly isCertain: boolean
  readonly samples: number
  readonly found: readonly number[]
}

/** So much of a secret may be left, and no more. */
const MOST_LEFT = 7

/** Redacts made-up secrets of every family in every encoding. The same numbers in every run. */
export function measureRecall(samples: number): readonly Recall[] {
  const random = seeded(2026)
  const redactor = createRedactor({ key: new Uint8Array(32) })
  const kinds = [...new Set(families.map(({ kind }) => kind))]
  return kinds.map((kind) => {
    const same = families.filter((family) => family.kind === kind)
    const found = encodings.map((encoding) => {
      let hidden = 0
      for (const family of same) {
        for (let at = 0; at < samples; at++) {
          const made = family.make(random)
          const { value } = redactor.value(encoding.encode(made, random))
          const output = typeof value === 'string' ? value : JSON.stringify(value)
          if (longestLeft(output, made, encoding) <= MOST_LEFT) hidden++
        }
      }
      return hidden / (same.length * samples)
    })
    return { kind, isCertain: same.every((family) => family.isCertain), samples: same.length * samples, found }
  })
}

/** What is found in clean messages: how often, by kind. */
export function measureFalsePositives(messages: number): ReadonlyMap<string, number> {
  const random = seeded(7)
  const redactor = createRedactor({ key: new Uint8Array(32) })
  const counts = new Map<string, number>()
  for (let at = 0; at < messages; at++) {
    for (const { kind } of redactor.value(cleanMessage(random, at)).found) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

/** The share of an encoding over some families, each counted the same. */
export function meanOf(rows: readonly Recall[], encoding: number): number {
  return rows.reduce((sum, { found }) => sum + (found[encoding] ?? 0), 0) / rows.length
}
