import type { Range } from './snippet.ts'
import { foldWord } from './words.ts'

/** How often a folded text stands in another, and the first places of the text as it was. */
export interface Found {
  readonly count: number
  readonly ranges: readonly Range[]
}

/** Looks for a folded text in another. Only so many places are told as are wanted, for they cost more than counting. */
export function findFolded(text: string, wanted: string, mostRanges: number): Found {
  const folded = fold(text)
  const ranges: Range[] = []
  const places = new Places(text)
  let count = 0
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + wanted.length)) {
    if (count++ < mostRanges) ranges.push([places.startOf(at), places.endOf(at + wanted.length - 1)])
  }
  return { count, ranges }
}

/** Leads from a folded text back to the text itself. Must be asked for rising places. */
class Places {
  readonly #text: string
  #at = 0
  #foldedAt = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Where the character begins that a unit of the folded text comes from. */
  startOf(folded: number): number {
    while (this.#foldedAt + this.#length() <= folded) this.#pass()
    return this.#at
  }

  /** Where it ends, with the accents that stand on it. */
  endOf(folded: number): number {
    this.startOf(folded)
    this.#pass()
    while (this.#at < this.#text.length && this.#length() === 0) this.#pass()
    return this.#at
  }

  #length(): number {
    return foldCharacter(this.#character()).length
  }

  #pass(): void {
    this.#foldedAt += this.#length()
    this.#at += this.#character().length
  }

  #character(): string {
    return String.fromCodePoint(this.#text.codePointAt(this.#at) as number)
  }
}

/** A text in the spelling in which texts are compared, which is the index's: no case, Latin without accents. */
export function fold(text: string): string {
  return text
    .replace(OTHERS, foldRun)
    .replace(/[^\S ]/g, ' ')
    .toLowerCase()
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
const OTHERS = /[^\u0000-\u007f]+/g
const folds = new Map<string, string>()

function foldRun(run: string): string {
  let folded = ''
  for (const character of run) folded += foldCharacter(character)
  return folded
}

/** Kept for each character that was met: a long text has few of them. */
function foldCharacter(character: string): string {
  const known = folds.get(character)
  if (known !== undefined) return known
  const folded = foldWord(character).toLowerCase()
  // Beyond the first plane there are too many to keep.
  if (character.length === 1) folds.set(character, folded)
  return folded
}
