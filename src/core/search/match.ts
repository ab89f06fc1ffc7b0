import { findPhrases, Phrases } from './phrases.ts'
import { type Query, type QueryNode, soughtOf, type Term } from './query.ts'

/**
 * Tells which texts a query finds, without an index: the same ones that full-text search finds by the expression of the query. A
 * query that has no such expression finds nothing.
 */
export function queryMatcher({ root }: Query): (text: string) => boolean {
  const compiled = new Compiled()
  const wanted = root && compiled.node(root)
  if (!wanted) return () => false
  return (text) => {
    const met = new Set<number>()
    findPhrases(
      text,
      compiled.inText,
      compiled.inWords,
      ({ term }) => met.add(term),
      () => met.size === compiled.count,
    )
    return wanted(met)
  }
}

/** Whether a text fits, by the phrases that stand in it. */
type Test = (met: ReadonlySet<number>) => boolean

class Compiled {
  readonly inText = new Phrases()
  readonly inWords = new Phrases()
  count = 0

  /** Nodes without a word say nothing. Recurses as deep as a query may be nested. */
  node(node: QueryNode): Test | undefined {
    if (node.kind === 'term') return this.#term(node)
    if (node.kind === 'not') {
      const inner = this.node(node.node)
      return inner && ((met) => !inner(met))
    }
    const tests = node.nodes.map((one) => this.node(one)).filter((test) => test !== undefined)
    if (tests.length === 0) return undefined
    return node.kind === 'and' ? all(tests) : any(tests)
  }

  #term(term: Term): Test | undefined {
    const sought = soughtOf(term)
    if (!sought) return undefined
    const whole = this.#phrase(this.inText, sought.words, term.isPrefix)
    if (sought.kind === 'plain') return any([whole, this.#phrase(this.inWords, sought.words, term.isPrefix)])
    if (sought.kind === 'parts') return any([whole, this.#phrase(this.inWords, sought.parts, sought.isPrefix)])
    return any([whole, all(sought.terms.flatMap((each) => this.#term(each) ?? []))])
  }

  #phrase(phrases: Phrases, words: readonly string[], isPrefix: boolean): Test {
    const term = this.count++
    phrases.add({ term, words, isPrefix })
    return (met) => met.has(term)
  }
}

function all(tests: readonly Test[]): Test {
  return (met) => tests.every((test) => test(met))
}

function any(tests: readonly Test[]): Test {
  return (met) => tests.some((test) => test(met))
}

/**
 * A pattern for ripgrep that matches every line of a log in which the query may be found, however its letters are accented or
 * escaped; `undefined` where no word has to occur.
 */
export function linePattern({ root }: Query): string | undefined {
  const words = root && neededWords(root)
  return words && `(?i)(?:${words.map(spelled).join('|')})`
}

/** Words of which one stands in every text that fits; the longest that there are. */
function neededWords(node: QueryNode): readonly string[] | undefined {
  if (node.kind === 'not') return undefined
  if (node.kind === 'term') {
    const sought = soughtOf(node)
    // The parts of a word stand in it as they are.
    const words = sought?.kind === 'parts' ? sought.parts : sought?.words
    return words && [words.reduce((longest, word) => (word.length > longest.length ? word : longest))]
  }
  const each = node.nodes.map(neededWords)
  if (node.kind === 'or')
    return each.some((words) => words === undefined) ? undefined : each.flatMap((words) => words ?? [])
  return each.reduce((best, words) => (words && (!best || shortest(words) > shortest(best)) ? words : best), undefined)
}

function shortest(words: readonly string[]): number {
  return Math.min(...words.map((word) => word.length))
}

/** Letters that fold to others are not ASCII, or escaped. */
const OTHER = String.raw`(?:[^\x00-\x7f]|\\u[0-9a-f]{4})`

function spelled(word: string): string {
  return [...word].map((letter) => (letter <= '\x7f' ? `(?:${letter}|${OTHER})` : OTHER)).join(`${OTHER}*`)
}
