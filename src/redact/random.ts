/**
 * Whether a word looks made by a machine: letters and digits mixed as no name or sentence has them. Words with a number
 * behind them, paths, versions, addresses and names of variables are not.
 */
export function looksRandom(word: string): boolean {
  if (word.length < 8 || !/^[\x21-\x7e]*$/.test(word) || !/\d/.test(word) || !/[A-Za-z]/.test(word)) return false
  if (isPlaceholder(word) || isPath(word)) return false
  return !isMadeOfWords(word) && entropyOf(word) >= Math.min(2.6, Math.log2(word.length) - 0.6)
}

/** Stands in documentation and examples for the real thing. */
export function isPlaceholder(word: string): boolean {
  return PLACEHOLDER.test(word) || new Set(word.toLowerCase()).size < 4 || isSequence(word)
}

// The short ones count only where a word begins: four given letters in a row turn up in one of ten thousand random keys.
const PLACEHOLDER =
  /example|change[-_]?me|place[-_]?holder|redacted|dummy|sample|x{4}|\*{3}|\.{3}|…|<|>|\$\{|\{\{|\$\(|%\(|process\.env|os\.environ|getenv|secrets\.|vault:|op:\/\/|keyring|insert[-_]|lorem|foo[-_]?bar|[-_.]here$|(?<![a-z\d])(?:fake|mock|todo|your[-_a-z])/i

/** `abcdefgh12345678`, `0123456789`: typed in a row. */
function isSequence(word: string): boolean {
  let steps = 0
  for (let at = 1; at < word.length; at++) {
    const step = word.charCodeAt(at) - word.charCodeAt(at - 1)
    if (step === 1 || step === 0) steps++
  }
  return steps > 0.7 * (word.length - 1)
}

function isPath(word: string): boolean {
  if (/^(?:[~.]{0,2}\/|[A-Za-z]:[\\/]|[a-z][a-z\d+.-]*:\/\/)/.test(word)) return true
  return /^[\w.@-]+(?:\/[\w.@-]+)+$/.test(word) && word.split('/').every((part) => isMadeOfWords(part))
}

/** Only words, each with at most a short number behind or before it: `test-token-123`, `refreshToken2`, `v1.2.3`. */
function isMadeOfWords(text: string): boolean {
  const parts = text.split(/[-_.:/@+=,;!?#%^&*~]+|(?<=[a-z])(?=[A-Z])/).filter((part) => part !== '')
  // Random letters also fall into such parts, but into many short ones.
  if (text.length < 4 * parts.length) return false
  return parts.every((part) => WORD.test(part))
}

const WORD = /^(?:[A-Z]*[a-z]*\d{0,6}|\d{1,4}[A-Za-z]{1,3}|[A-Z]?[a-z]{2,}\d{1,4}[a-z]{2,})$/

/** How many bits a character of the word carries, by how often each stands in it. */
function entropyOf(word: string): number {
  const counts = new Map<string, number>()
  for (const char of word) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length)
  return bits
}
