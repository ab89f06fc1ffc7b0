import { type Query, type QueryNode, soughtOf, type Term } from '../../core/search/query.ts'
import { foldWord, hasLetters, nextWord } from '../../core/search/words.ts'

/** A character that nobody looks for: no phrase runs over it. */
const BETWEEN = '\ue000'

/** The words of a text as they are compared, each between two blanks. */
export function spacedWords(text: string): string {
  return spaced(text, undefined)
}

/** The same of the parts of words, as `partsOf` writes these: none of them goes on in the next word. */
export function spacedParts(parts: string): string {
  return spaced(parts, BETWEEN)
}

function spaced(text: string, between: string | undefined): string {
  let out = ' '
  for (let word = nextWord(text, 0); word; word = nextWord(text, word.to)) {
    const own = text.slice(word.from, word.to)
    const isWord = word.isPlain || hasLetters(own)
    if (isWord) out += `${foldWord(own)} `
    else if (between !== undefined) out += `${between} `
  }
  return out
}

/** Words in a row, the last of which may be the beginning of one, as they stand in a spaced text. */
export function inARow(words: readonly string[], isPrefix: boolean): string {
  return ` ${words.join(' ')}${isPrefix ? '' : ' '}`
}

/** Says in SQL that some words stand in a row, in the spaced words of a text or in the parts of these. */
export type RowCondition = (column: 'words' | 'parts', words: readonly string[], isPrefix: boolean) => string

/** The condition of a query on spaced texts, in SQL; `undefined` where no word is in it. */
export function spacedCondition({ root }: Query, has: RowCondition): string | undefined {
  return root && ofNode(root)

  function ofTerm(term: Term): string | undefined {
    const sought = soughtOf(term)
    if (!sought) return undefined
    const { words } = sought
    const whole = has('words', words, term.isPrefix)
    if (sought.kind === 'plain') return `(${whole} or ${has('parts', words, term.isPrefix)})`
    if (sought.kind === 'parts') return `(${whole} or ${has('parts', sought.parts, sought.isPrefix)})`
    const each = joined(
      'and',
      sought.terms.flatMap((one) => ofTerm(one) ?? []),
    )
    return each === undefined ? whole : `(${whole} or ${each})`
  }

  /** Nodes without a word say nothing. Recurses as deep as a query may be nested. */
  function ofNode(node: QueryNode): string | undefined {
    if (node.kind === 'term') return ofTerm(node)
    if (node.kind === 'not') {
      const inner = ofNode(node.node)
      return inner === undefined ? undefined : `(not ${inner})`
    }
    return joined(
      node.kind,
      node.nodes.flatMap((one) => ofNode(one) ?? []),
    )
  }
}

function joined(operator: string, conditions: readonly string[]): string | undefined {
  return conditions.length === 0 ? undefined : `(${conditions.join(` ${operator} `)})`
}
