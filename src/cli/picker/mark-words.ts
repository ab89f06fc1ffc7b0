import type { Paint } from '../terminal/style.ts'

const ESC = '\u001b'
const COLOURS = new RegExp(`(${ESC}\\[[\\d;]*m)`)

/** Marks every occurrence of some words in a line that may be coloured already; the colours go on behind each. Case does not count. */
export function markWords(line: string, words: readonly string[], mark: Paint): string {
  const sought = words.filter((word) => word.trim() !== '')
  if (sought.length === 0 || mark('x') === 'x') return line
  // The longest first: of two that begin alike, it says more.
  const pattern = sought.toSorted((a, b) => b.length - a.length).map(escaped)
  const anyWord = new RegExp(pattern.join('|'), 'giu')
  let colours = ''
  return line
    .split(COLOURS)
    .map((part) => {
      if (!part.startsWith(ESC)) return part.replace(anyWord, (word) => mark(word) + colours)
      colours = isReset(part) ? '' : colours + part
      return part
    })
    .join('')
}

function isReset(sequence: string): boolean {
  return /\[(?:0|22|23|24|29|39)?m$/.test(sequence)
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
