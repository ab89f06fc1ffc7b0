/**
 * Whether a word looks made by a machine: letters and digits mixed as no name or sentence has them. Words with a number
 * behind them, paths, versions, addresses and names of variables are not.
 */
export function looksRandom(word: string): boolean {
  if (word.length < 8 || !/^[\x21-\x7e]*$/.test(word) || !/\d/.test(word) || !/[A-Za-z]/.test(word)) return false
  if (isPlaceholder(word) || isPath(word)) return false
  return !isMadeOfWords(word) && entropyOf(word) >= Math.min(2.6, Math.log2(word.length) - 0.6)
}

/** The same for a value that need not have digits: long letters that fall into no words. For values under a telling name. */
export function looksGenerated(word: string): boolean {
  if (looksRandom(word)) return true
  if (word.length < 14 || !/^[A-Za-z][\w~.+/-]*=*$/.test(word) || isPlaceholder(word) || isPath(word)) return false
  return wordShare(word) < 0.5
}

/** Stands in documentation and examples for the real thing. */
export function isPlaceholder(word: string): boolean {
  return PLACEHOLDER.test(word) || new Set(word.toLowerCase()).size < 4 || isSequence(word)
}

// The short ones count only where a word begins: four given letters in a row turn up in one of ten thousand random keys.
const PLACEHOLDER =
  /example|change[-_]?me|place[-_]?holder|redacted|dummy|sample|x{4}|\*{3}|\.{3}|…|^<|<[\w -]+>|\$\{|\{\{|\$\(|%\(|process\.env|os\.environ|getenv|secrets\.|vault:|op:\/\/|keyring|insert[-_]|^my[-_]?(?:api[-_]?)?(?:token|key|secret|pass)|lorem|foo[-_]?bar|[-_.]here$|(?<![a-z\d])(?:fake|mock|todo|your[-_a-z])/i

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
  if (/^\/[A-Za-z0-9+/]{20,}={1,2}$/.test(word)) return false
  if (/^(?:[~.]{0,2}\/|[A-Za-z]:[\\/]|[a-z][a-z\d+.-]*:\/\/)/.test(word)) return true
  return /^[\w.@-]+(?:\/[\w.@-]+)+$/.test(word) && word.split('/').every((part) => isMadeOfWords(part))
}

/** Only words, each with at most a short number behind or before it: `test-token-123`, `refreshToken2`, `v1.2.3`. */
export function isMadeOfWords(text: string): boolean {
  const parts = text.split(/[-_.:/@+=,;!?#%^&*~]+|(?<=[a-z])(?=[A-Z])/).filter((part) => part !== '')
  return parts.every((part) => WORD.test(part) && !UNSPEAKABLE.test(part)) && wordShare(text) >= 0.7
}

/** Names with signs between them, as programs have them. */
export function isExpression(text: string): boolean {
  return /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(text) && wordShare(text) >= 0.85
}

/** Whether a text of some letters is a word that one could say. */
export function isWord(text: string): boolean {
  return /^[A-Za-z]{2,20}$/.test(text) && wordShare(text) === 1
}

/** How much of its letters are in parts that look like words. Random letters fall into many parts that do not. */
function wordShare(text: string): number {
  const parts = text.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/)
  const words = parts.filter(
    (part) => CLEAN.test(part) && !UNSPEAKABLE.test(part) && !(part.length > 4 && RARE.test(part)),
  )
  return lengthOf(words) / Math.max(1, lengthOf(parts))
}

function lengthOf(parts: readonly string[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}

const WORD = /^(?:[A-Z]*[a-z]*\d{0,6}|\d{1,4}[A-Za-z]{1,3}|[A-Z]?[a-z]{2,}\d{1,4}[a-z]{2,})$/

/** As names are written: `Read`, `user`, `HTTP`; a word of some length has a vowel. */
const CLEAN = /^(?:[A-Z]?(?=[a-z]*[aeiouy])[a-z]{2,}|[A-Z]{2,}|[a-z]{1,3})$/

/** Letters of one case that nobody could say: abbreviations are shorter, and words have vowels. */
const UNSPEAKABLE = /[bcdfghjklmnpqrstvwxz]{6}|[BCDFGHJKLMNPQRSTVWXZ]{8}/

/** Letters that hardly ever follow each other in a word. */
const RARE =
  /q[^u]|[jv][b-df-hj-np-tv-xz]|z[b-df-hj-np-tv-x]|[b-df-hj-mo-twz]x|[bdf-hj-mp-tv-xz]q|[cf-hkmptw]j|[fkvw]z|[bdfgjkpqvwxz]{3}/i

/** How many bits a character of the word carries, by how often each stands in it. */
function entropyOf(word: string): number {
  const counts = new Map<string, number>()
  for (const char of word) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length)
  return bits
}
