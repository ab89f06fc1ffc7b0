import type { Query } from '../../../core/search/query.ts'
import { inARow, spacedCondition } from '../../team/spaced-words.ts'

/** How many words of one phrase the index is asked for; the rest is compared. */
const MOST_TOKENS = 32

/** A condition on docs, and the values that it names. */
export interface WordsCondition {
  readonly sql: string
  readonly values: Readonly<Record<string, string | readonly string[]>>
}

/** The condition of a query; `undefined` where no word is in it. The index finds docs that have all words; whether they are in a row, the text says. */
export function wordsCondition(query: Query): WordsCondition | undefined {
  const values: Record<string, string | readonly string[]> = {}
  const named = (value: string | readonly string[]) => {
    const name = `word${Object.keys(values).length}`
    values[name] = value
    return `{${name}:${typeof value === 'string' ? 'String' : 'Array(String)'}}`
  }
  const sql = spacedCondition(query, (column, words, isPrefix) => {
    const whole = isPrefix ? words.slice(0, -1) : words
    const tokens = whole.length === 0 ? [] : [`hasAllTokens(${column}, ${named(whole.slice(0, MOST_TOKENS))})`]
    const isTold = words.length === 1 && !isPrefix
    const row = isTold ? [] : [`position(${column}, ${named(inARow(words, isPrefix))}) > 0`]
    return `(${[...tokens, ...row].join(' and ')})`
  })
  return sql === undefined ? undefined : { sql, values }
}
