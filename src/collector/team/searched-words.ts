import { type Query, type QueryNode, soughtOf, type Term } from '../../core/search/query.ts'
import { foldWord, hasLetters, nextWord } from '../../core/search/words.ts'

/** The words of a text as PostgreSQL takes them: each with its places, and with `A` the parts of words. */
export interface SearchedWords {
  readonly words: string
  /** There are more than have a place: what phrases find is to be looked at again. */
  readonly isLong: boolean
}

/** Of one word no more places are kept, and none behind this one; a word has fewer bytes. */
const MOST_PLACES = 255
const LAST_PLACE = 16_383
const LONGEST_WORD = 2_000
/** All of it has to fit into a megabyte. */
const MOST_BYTES = 900_000

/** The words of a text and the parts of its words, as `partsOf` writes these. */
export function searchedWords(text: string, parts: string): SearchedWords {
  const found = new Map<string, string[]>()
  let place = 0
  let isLong = false
  const add = (from: string, mark: string) => {
    for (let word = nextWord(from, 0); word; word = nextWord(from, word.to)) {
      const own = from.slice(word.from, word.to)
      // What has no letters is no word to a query, but stands between the parts of two words.
      place += 1
      if (!word.isPlain && !hasLetters(own)) {
        if (mark === '') place -= 1
        continue
      }
      const lexeme = lexemeOf(foldWord(own))
      const places = found.get(lexeme)
      if (place > LAST_PLACE || (places && places.length >= MOST_PLACES)) isLong = true
      else if (places) places.push(`${place}${mark}`)
      if (!places) found.set(lexeme, place > LAST_PLACE ? [] : [`${place}${mark}`])
    }
  }
  add(text, '')
  place += 1
  add(parts, 'A')
  let words = ''
  for (const [lexeme, places] of found) {
    words += `${quoted(lexeme)}${isLong || places.length === 0 ? '' : `:${places.join()}`} `
    if (words.length > MOST_BYTES) return { words, isLong: true }
  }
  return { words, isLong }
}

/** A query as PostgreSQL takes it: as it is, and `loose` without what only places can tell. */
export interface WordsQuery {
  readonly exact: string
  readonly loose: string
}

/** The tsquery of a query; `undefined` where no word is in it. */
export function wordsQuery({ root }: Query): WordsQuery | undefined {
  const exact = root && nodeQuery(root, false)
  const loose = root && nodeQuery(root, true)
  return exact === undefined || loose === undefined ? undefined : { exact, loose }
}

/** Nodes without a word say nothing. Recurses as deep as a query may be nested. */
function nodeQuery(node: QueryNode, isLoose: boolean): string | undefined {
  if (node.kind === 'term') return termQuery(node, isLoose)
  if (node.kind === 'not') {
    const inner = nodeQuery(node.node, isLoose)
    // Whether a long text lacks a phrase, only a look at it tells.
    return inner === undefined || isLoose ? undefined : `!(${inner})`
  }
  return joined(
    node.kind === 'and' ? '&' : '|',
    node.nodes.flatMap((one) => nodeQuery(one, isLoose) ?? []),
  )
}

function joined(operator: string, queries: readonly string[]): string | undefined {
  return queries.length === 0 ? undefined : `(${queries.join(` ${operator} `)})`
}

function termQuery(term: Term, isLoose: boolean): string | undefined {
  const sought = soughtOf(term)
  if (!sought) return undefined
  if (sought.kind === 'plain') return phrase(sought.words, term.isPrefix, isLoose, '')
  const whole = phrase(sought.words, term.isPrefix, isLoose, 'D')
  const other =
    sought.kind === 'parts'
      ? phrase(sought.parts, sought.isPrefix, isLoose, 'A')
      : (joined(
          '&',
          sought.terms.flatMap((each) => termQuery(each, isLoose) ?? []),
        ) ?? whole)
  return `(${whole} | ${other})`
}

/** `D` are places of the text itself, `A` those of parts. */
function phrase(words: readonly string[], isPrefix: boolean, isLoose: boolean, mark: string): string {
  const terms = words.map((word, i) => {
    const marks = `${isPrefix && i === words.length - 1 ? '*' : ''}${isLoose ? '' : mark}`
    return quoted(lexemeOf(word)) + (marks === '' ? '' : `:${marks}`)
  })
  return `(${terms.join(isLoose ? ' & ' : ' <-> ')})`
}

function lexemeOf(word: string): string {
  return word.length * 3 <= LONGEST_WORD
    ? word
    : Buffer.from(word)
        .subarray(0, LONGEST_WORD)
        .toString('utf8')
        .replace(/\ufffd+$/, '')
}

function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
