import { type Query, type QueryNode, soughtOf, type Term } from '../../../core/search/query.ts'
import { foldWord, hasLetters, nextWord } from '../../../core/search/words.ts'

/** A character that nobody looks for: no phrase runs over it. */
const BETWEEN = '\ue000'
/** How many words of one phrase the index is asked for; the rest is compared. */
const MOST_TOKENS = 32

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

/** A condition on docs, and the values that it names. */
export interface WordsCondition {
  readonly sql: string
  readonly values: Readonly<Record<string, string | readonly string[]>>
}

/** The condition of a query; `undefined` where no word is in it. */
export function wordsCondition({ root }: Query): WordsCondition | undefined {
  const values: Record<string, string | readonly string[]> = {}
  const named = (value: string | readonly string[]) => {
    const name = `word${Object.keys(values).length}`
    values[name] = value
    return `{${name}:${typeof value === 'string' ? 'String' : 'Array(String)'}}`
  }

  /** Words in a row, in one of the columns. The index finds docs that have them all; whether they are in a row, the text says. */
  function inARow(column: 'words' | 'parts', words: readonly string[], isPrefix: boolean): string {
    const whole = isPrefix ? words.slice(0, -1) : words
    const tokens = whole.length === 0 ? [] : [`hasAllTokens(${column}, ${named(whole.slice(0, MOST_TOKENS))})`]
    const isTold = words.length === 1 && !isPrefix
    const text = ` ${words.join(' ')}${isPrefix ? '' : ' '}`
    return `(${[...tokens, ...(isTold ? [] : [`position(${column}, ${named(text)}) > 0`])].join(' and ')})`
  }

  function ofTerm(term: Term): string | undefined {
    const sought = soughtOf(term)
    if (!sought) return undefined
    const { words } = sought
    const whole = inARow('words', words, term.isPrefix)
    if (sought.kind === 'plain') return `(${whole} or ${inARow('parts', words, term.isPrefix)})`
    if (sought.kind === 'parts') return `(${whole} or ${inARow('parts', sought.parts, sought.isPrefix)})`
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

  const sql = root && ofNode(root)
  return sql === undefined ? undefined : { sql, values }
}

function joined(operator: string, conditions: readonly string[]): string | undefined {
  return conditions.length === 0 ? undefined : `(${conditions.join(` ${operator} `)})`
}
