import { foldWord, hasCjk, hasLetters, nextWord, partsIn } from './words.ts'

/** Words in a row that stand for something wanted: of a text, or as the parts of one word. */
export interface Phrase {
  /** What it stands for. */
  readonly term: number
  readonly words: readonly string[]
  /** The last word may be the beginning of one. */
  readonly isPrefix: boolean
}

/** Where something wanted stands. */
export interface FoundPhrase {
  readonly from: number
  readonly to: number
  readonly term: number
}

/**
 * Finds phrases in a text as full-text search sees it, until `isEnough` says so, which is asked at each word: with its place where nothing
 * that was found before it is still going on.
 */
export function findPhrases(
  text: string,
  inText: Phrases,
  inWords: Phrases,
  give: (found: FoundPhrase) => void,
  isEnough: (at: number | undefined) => boolean,
): void {
  let begun = NOTHING_BEGUN
  for (let word = nextWord(text, 0); word; word = nextWord(text, word.to)) {
    if (isEnough(begun.length === 0 ? word.from : undefined)) return
    const own = text.slice(word.from, word.to)
    if (!word.isPlain && !hasLetters(own)) continue
    begun = inText.advance(begun, { from: word.from, to: word.to, text: foldWord(own) }, give)
    let within: readonly Begun[] = []
    for (const part of word.isPlain ? [] : partsIn(own)) {
      const at = { from: word.from + part.from, to: word.from + part.to, text: part.text }
      within = inWords.advance(within, at, give)
    }
  }
}

interface At {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** A phrase of which the first words have been met. */
interface Begun {
  readonly phrase: Phrase
  readonly from: number
  readonly count: number
}

const NOTHING_BEGUN: readonly Begun[] = []

/** Phrases that are looked for together. */
export class Phrases {
  readonly #byFirst = new Map<string, Phrase[]>()
  readonly #prefixes: Phrase[] = []

  add(phrase: Phrase): void {
    const [first] = phrase.words
    if (first === undefined) return
    if (phrase.words.length === 1 && phrase.isPrefix) this.#prefixes.push(phrase)
    else this.#byFirst.set(first, [...(this.#byFirst.get(first) ?? []), phrase])
  }

  /** Takes the next word: tells what ends with it, and gives what is begun after it. */
  advance(begun: readonly Begun[], word: At, give: (found: FoundPhrase) => void): readonly Begun[] {
    const begins = this.#byFirst.get(word.text)
    // The case of nearly every word.
    if (!begins && begun.length === 0 && this.#prefixes.length === 0) return NOTHING_BEGUN
    const next: Begun[] = []
    const take = ({ phrase, from, count }: Begun): void => {
      const wanted = phrase.words[count] as string
      const isLast = count === phrase.words.length - 1
      const isMet = isLast && phrase.isPrefix ? word.text.startsWith(wanted) : word.text === wanted
      if (!isMet) return
      // Of a pair of CJK characters that begins with the wanted one, only that one is meant.
      const to = isLast && hasCjk(wanted) && word.text !== wanted ? word.from + wanted.length : word.to
      if (isLast) give({ from, to, term: phrase.term })
      else next.push({ phrase, from, count: count + 1 })
    }
    for (const each of begun) take(each)
    for (const phrase of begins ?? []) take({ phrase, from: word.from, count: 0 })
    for (const phrase of this.#prefixes) take({ phrase, from: word.from, count: 0 })
    return next
  }
}
