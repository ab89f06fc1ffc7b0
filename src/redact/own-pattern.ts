import type { WholeRule } from './finder.ts'

/** A pattern of the user's own. Its first group, if it has one, is the secret; else all of it. */
export interface OwnPattern {
  /** Small letters, digits and hyphens: it becomes part of the placeholder. */
  readonly kind: string
  readonly pattern: RegExp
  /** Texts without any of these are not looked at. Without keywords, every text is. */
  readonly keywords?: readonly string[]
}

/** What may be the kind of a pattern. */
export const OWN_KIND = /^[a-z0-9][a-z0-9-]{0,39}$/

/** A pattern as a rule. */
export function ownRule({ kind, pattern, keywords = [] }: OwnPattern): WholeRule {
  const flags = new Set([...pattern.flags.replace('y', ''), 'g', 'd'])
  const global = new RegExp(pattern.source, [...flags].join(''))
  return {
    kind,
    keywords: keywords.map((word) => word.toLowerCase()),
    *find(text) {
      for (const found of text.matchAll(global)) {
        const [from, to] = found.indices?.[1] ?? [found.index, found.index + found[0].length]
        if (to > from) yield { from, to }
      }
    },
  }
}
