import { isBrokenAround, isBrokenNear, isBrokenRun } from './broken-run.ts'
import { looksRandom } from './random.ts'

/** A stretch of a text. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** How one kind of secret is known. A rule is asked only where one of its keywords stands. */
export interface Rule {
  readonly kind: string
  /** In lower case: they are found whatever their case, and the rule decides. */
  readonly keywords: readonly string[]
  /** The secret that belongs to the keyword at `at`. Looks at a limited stretch of the text, so that many are cheap. */
  readonly match: (text: string, at: number) => Span | undefined
  /** How far behind the keyword a secret can reach, where that is far. */
  readonly reach?: number
  /** Asked only where nothing of its kind was found before. */
  readonly isSecond?: boolean
  /** The secret begins before its keyword. */
  readonly isLed?: boolean
  /** Knows the secret only by what stands around it: then lines are joined only where a terminal may have wrapped them. */
  readonly isGuess?: boolean
  /** Whether reading escapes or joining lines at the keyword could help. Cheap: it is asked wherever `match` fails. */
  readonly mayBeEncoded: (text: string, at: number) => boolean
  /** The same for a secret of which only the beginning is there. */
  readonly matchCut?: (text: string, at: number) => Span | undefined
}

/**
 * A token that is known by how it begins. `body` is what follows, as the source of a regular expression. Of a token with
 * a telling beginning also a part is found: output is often cut in the middle of one.
 */
export function token(kind: string, prefixes: readonly string[], body: string, options: TokenOptions = {}): Rule {
  const mayFollow = ({ length }: string) => options.glued || (!options.short && length >= UNMISTAKABLE)
  const startsOf = (some: readonly string[]) =>
    some.map((prefix) => (mayFollow(prefix) ? '' : '(?<![A-Za-z0-9])') + escaped(prefix)).join('|')
  const whole = new RegExp(`(?:${startsOf(prefixes)})${body}`, 'y')
  const rule = {
    kind,
    keywords: lowerCased(prefixes),
    ...(options.reach !== undefined && { reach: options.reach }),
    match(text: string, at: number): Span | undefined {
      whole.lastIndex = at
      const found = whole.exec(text)
      return found && !EXAMPLE.test(found[0]) ? { from: at, to: whole.lastIndex } : undefined
    },
    mayBeEncoded: (text: string, at: number) => isBrokenRun(text, at, SHORTEST_TOKEN),
  }
  const cutPrefixes = prefixes.filter((prefix) => prefix.length >= TELLING)
  if (options.short || cutPrefixes.length === 0) return rule
  const cut = new RegExp(`(?:${startsOf(cutPrefixes)})([\\w-]{8,300})`, 'y')
  return {
    ...rule,
    matchCut(text, at) {
      cut.lastIndex = at
      const found = cut.exec(text)
      return found && looksRandom(found[1] as string) ? { from: at, to: at + found[0].length } : undefined
    },
  }
}

export interface TokenOptions {
  readonly reach?: number
  /** Its beginning says so little that a part of it could be anything. */
  readonly short?: boolean
  /** It may follow a letter or a digit. */
  readonly glued?: boolean
}

/**
 * A secret in a known surrounding: the expression begins at the keyword, and its group `secret` (else all of it) is what
 * is hidden, with the characters before it that `lead` allows.
 */
export function shape(kind: string, keywords: readonly string[], pattern: RegExp, options: ShapeOptions = {}): Rule {
  const sticky = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}dy`)
  const { lead, isSecret, isGuess = false } = options
  const mayBeEncoded = options.mayBeEncoded ?? (lead ? isBrokenAround : isBrokenNear)
  return {
    kind,
    keywords: lowerCased(keywords),
    isGuess,
    isLed: lead !== undefined,
    ...(options.reach !== undefined && { reach: options.reach }),
    mayBeEncoded,
    match(text, at) {
      sticky.lastIndex = at
      const found = sticky.exec(text)
      if (!found) return undefined
      const [start, end] = found.indices?.groups?.secret ?? [at, at + found[0].length]
      const from = lead ? leadStart(text, start, lead) : start
      if (from === undefined || (isSecret && !isSecret(text.slice(from, end)))) return undefined
      return { from, to: end }
    },
  }
}

export interface ShapeOptions {
  /** Which characters stand before the keyword as part of the secret, and how many. */
  readonly lead?: { readonly chars: RegExp; readonly min: number; readonly max: number }
  /** Decides about what was found. */
  readonly isSecret?: (secret: string) => boolean
  readonly isGuess?: boolean
  readonly reach?: number
  readonly mayBeEncoded?: Rule['mayBeEncoded']
}

/** From here on a beginning tells what the token is. */
const TELLING = 4
/** From here on it cannot be the end of a word. */
const UNMISTAKABLE = 6

/** Tokens as documentation writes them. */
export const EXAMPLE = /x{6}|X{6}|0{12}|\*{3}|\.{3}/

/** No token is shorter. */
const SHORTEST_TOKEN = 18

/** Where the characters before the keyword begin; `undefined` where they are too few, or too many to be a part of it. */
function leadStart(
  text: string,
  at: number,
  { chars, min, max }: NonNullable<ShapeOptions['lead']>,
): number | undefined {
  let from = at
  while (from > 0 && at - from <= max && chars.test(text[from - 1] as string)) from--
  // The sign of a diff is no part of it.
  if (at - from === max + 1 && /[+-]/.test(text[from] as string) && (from === 0 || text[from - 1] === '\n')) from++
  return at - from < min || at - from > max ? undefined : from
}

function lowerCased(words: readonly string[]): readonly string[] {
  return [...new Set(words.map((word) => word.toLowerCase()))]
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
