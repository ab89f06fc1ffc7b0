import { createHash, createHmac } from 'node:crypto'
import { Failure } from '../core/failure.ts'
import type { JsonValue } from '../core/json.ts'
import { assignedRules, kindOfField } from './assigned-rules.ts'
import { commandRules } from './command-rules.ts'
import { createFinder, type Found } from './finder.ts'
import { type Finding, replaced } from './finding.ts'
import { type OwnPattern, ownRule } from './own-pattern.ts'
import { type RedactedJson, redactJson } from './redact-json.ts'
import type { Rule } from './rule.ts'
import { secretlintRules } from './secretlint-rules.ts'
import { serviceTokenRules } from './service-token-rules.ts'
import { shapeRules } from './shape-rules.ts'
import { tokenRules } from './token-rules.ts'

/**
 * Raised whenever the rules change, so that what was made with older ones can be looked at again.
 */
export const RULES_VERSION = 4

/** All rules, those that know most about what they find first. */
export const allRules: readonly Rule[] = [
  ...tokenRules,
  ...serviceTokenRules,
  ...shapeRules,
  ...secretlintRules,
  ...commandRules,
  ...assignedRules,
]

export interface RedactorOptions {
  /** Makes the placeholders: the same secret gets the same one under the same key, and none can be guessed without it. */
  readonly key: Uint8Array
  /** Patterns of the user's own. */
  readonly patterns?: readonly OwnPattern[]
  /** Secrets that may be seen: the exact text, or a pattern. */
  readonly allow?: readonly (string | RegExp)[]
}

/** Puts a placeholder such as `[REDACTED:github-token:3f9a]` in the place of every secret that it finds. */
export interface Redactor {
  /** Which rules it has; differs wherever another result is possible. */
  readonly version: string
  text(text: string): { readonly text: string; readonly found: readonly Finding[] }
  /** The same for every string of a JSON value, names of fields included. What holds no secret is the same object. */
  value(value: JsonValue): RedactedJson
  /** Only what is found. */
  scan(text: string): readonly Finding[]
}

/** Makes a redactor. Everything it does is synchronous and takes time in proportion to the text. */
export function createRedactor({ key, patterns = [], allow = [] }: RedactorOptions): Redactor {
  // Without a key, whoever can guess a secret can check the guess by its placeholder.
  if (key.length === 0) {
    throw new Failure('BAD_INPUT', 'A redactor needs a key.', { hint: 'Give 32 random bytes: `randomBytes(32)`.' })
  }
  const isAllowed = allowed(allow)
  const find = createFinder({ rules: allRules, wholeRules: patterns.map(ownRule), ...(isAllowed && { isAllowed }) })

  const toFinding = ({ kind, secret, from, to }: Found, path = ''): Finding => {
    const placeholder = `[REDACTED:${kind}:${fingerprint(key, secret)}]`
    return { kind, placeholder, from, to, path }
  }
  const scan = (text: string): readonly Finding[] => {
    const found = find(text)
    return found.length === 0 ? NONE : found.map((one) => toFinding(one))
  }
  // The same few names come again and again.
  const cleanNames = new Set<string>()
  const scanName = (name: string): readonly Finding[] => {
    if (cleanNames.has(name)) return NONE
    const found = scan(name)
    if (found.length === 0 && name.length <= 64 && cleanNames.size < MOST_NAMES) cleanNames.add(name)
    return found
  }
  const field = (name: string, value: string): Finding | undefined => {
    const kind = isAllowed?.(value) ? undefined : kindOfField(name, value)
    return kind === undefined ? undefined : toFinding({ kind, secret: value, from: 0, to: value.length })
  }
  return {
    version: versionOf(patterns, allow),
    scan,
    text(text) {
      const found = scan(text)
      return { text: found.length === 0 ? text : replaced(text, found), found }
    },
    value: (value) => redactJson(value, { scan, scanName, field }),
  }
}

const NONE: readonly Finding[] = []
const MOST_NAMES = 10_000

/** Line breaks and how they are escaped do not make another secret. */
function fingerprint(key: Uint8Array, secret: string): string {
  return createHmac('sha256', key)
    .update(secret.replace(/\\+[nr]|\s/g, ''))
    .digest('hex')
    .slice(0, 4)
}

function allowed(allow: readonly (string | RegExp)[]): ((secret: string) => boolean) | undefined {
  if (allow.length === 0) return undefined
  const texts = new Set(allow.filter((one) => typeof one === 'string'))
  const patterns = allow
    .filter((one) => one instanceof RegExp)
    .map(({ source, flags }) => new RegExp(source, flags.replace(/[gy]/g, '')))
  return (secret) => texts.has(secret) || patterns.some((pattern) => pattern.test(secret))
}

function versionOf(patterns: readonly OwnPattern[], allow: readonly (string | RegExp)[]): string {
  if (patterns.length === 0 && allow.length === 0) return String(RULES_VERSION)
  const own = [patterns.map(({ kind, pattern, keywords }) => [kind, String(pattern), keywords]), allow.map(String)]
  return `${RULES_VERSION}-${createHash('sha256').update(JSON.stringify(own)).digest('hex').slice(0, 8)}`
}
