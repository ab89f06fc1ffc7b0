import { isPlaceholder, looksRandom } from './random.ts'
import type { Rule, Span } from './rule.ts'

/** What a name says its value is. Of each: the kind, and the words that such names end with. */
const NAMES: readonly (readonly [kind: string, words: readonly string[]])[] = [
  [
    'assigned-password',
    ['password', 'passwd', 'passphrase', 'passcode', 'pwd', 'db_pass', 'smtp_pass', 'mysql_pwd', 'passwort'],
  ],
  ['assigned-secret', ['secret', 'credential', 'credentials']],
  ['assigned-token', ['token', 'jwt']],
  [
    'assigned-key',
    [
      'api_key',
      'apikey',
      'api-key',
      'access_key',
      'accesskey',
      'access-key',
      'secret_key',
      'secretkey',
      'secret-key',
      'private_key',
      'privatekey',
      'auth_key',
      'authkey',
      'encryption_key',
      'signing_key',
      'master_key',
      'account_key',
      'app_key',
      'license_key',
      'service_key',
      'client_key',
    ],
  ],
]

/** Words before the last one that take its meaning away: `next_page_token`, `csrf_token`. */
const HARMLESS =
  /(?:page|next|sync|cancel|cancellation|continuation|cursor|stop|pad|eos|bos|unk|mask|special|max|num|count|public|git|sub|upload|idempotency|primary|foreign|cache|sort|design|parent|first|last)[_-]?$/i

const SEPARATOR =
  /(?:[_-](?:key|value|base64|prod|production|dev|staging|test|live|main|old|new|id|\d{1,3}))?\d{0,2}["'`]?(?:\s{0,3}(?::=|=>|=|:|,(?=\s?["'`]))\s{0,3}|(?<=--[\w-]{1,40})\s{1,3})/y
/** An assignment with an escape before its value, or an escape or a line break in it. */
const ENCODED =
  /[\w-]{0,12}(?:\\+["'`]\s{0,3}[:=,]|["'`]?\s{0,3}(?:%3[AaDd]|[:=,]\s{0,3}(?:\\+["'`]|["'`]?[^\s\\%"'`]{4,80}[\n\\%])))/y
const VALUE =
  /"([^"\s\\]{4,512})"|'([^'\s\\]{4,512})'|`([^`\s\\]{4,512})`|([^\s"'`,;&|<>(){}[\]\\\u0080-\uffff]{4,512})/y

/** Values that are assigned to a name which says that they are secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`. */
export const assignedRules: readonly Rule[] = NAMES.map(([kind, words]) => {
  const longest = [...words].sort((a, b) => b.length - a.length)
  const name = new RegExp(`(?:${longest.join('|')})`, 'iy')
  return {
    kind,
    keywords: words,
    isGuess: true,
    match: (text: string, at: number) => assignedAt(name, text, at),
    mayBeEncoded(text: string, at: number) {
      name.lastIndex = at
      if (!name.test(text)) return /[\r\n]/.test(text.slice(at, at + 12))
      ENCODED.lastIndex = name.lastIndex
      return ENCODED.test(text)
    },
  }
})

function assignedAt(name: RegExp, text: string, at: number): Span | undefined {
  name.lastIndex = at
  if (!name.test(text) || isHarmless(text, at)) return undefined
  const word = text.slice(at, name.lastIndex)
  SEPARATOR.lastIndex = name.lastIndex
  if (!SEPARATOR.test(text)) return undefined
  VALUE.lastIndex = SEPARATOR.lastIndex
  const found = VALUE.exec(text)
  const value = found?.[1] ?? found?.[2] ?? found?.[3] ?? found?.[4]
  if (value === undefined) return undefined
  const isQuoted = found?.[4] === undefined
  const isSetting = !isQuoted && text[SEPARATOR.lastIndex - 1] === '=' && /^[A-Z]/.test(word)
  if (!isSecretValue(value, word, isQuoted, isSetting)) return undefined
  const from = SEPARATOR.lastIndex + (isQuoted ? 1 : 0)
  return { from, to: from + value.length }
}

function isHarmless(text: string, at: number): boolean {
  return HARMLESS.test(text.slice(Math.max(0, at - 24), at))
}

/** The kind of a field's value by the field's name alone; for values that are decoded apart from their names. */
export function kindOfField(name: string, value: string): string | undefined {
  if (name.length > 64 || value.length < 6 || value.length > 4096) return undefined
  const word = wordOf(name)
  if (word === undefined || /\s/.test(value) || !isSecretValue(value, word, true, false)) return undefined
  return NAMES.find(([, words]) => words.includes(word.toLowerCase()))?.[0]
}

const known = new Map<string, string | undefined>()

/** The word that makes a field's name one of a secret. The same few names come again and again. */
function wordOf(name: string): string | undefined {
  if (known.has(name)) return known.get(name)
  const found = FIELD.exec(name)
  const word = found && !isHarmless(name, found.index) ? found[1] : undefined
  if (known.size < 10_000) known.set(name, word)
  return word
}

const FIELD = new RegExp(
  `(${NAMES.flatMap(([, words]) => words)
    .sort((a, b) => b.length - a.length)
    .join('|')})[_-]?\\d{0,2}$`,
  'i',
)

/** A password may be a word with a digit, and in a setting (`PGPASSWORD=…`) any word; all else has to look random. */
function isSecretValue(value: string, word: string, isQuoted: boolean, isSetting: boolean): boolean {
  if (isPlaceholder(value) || NOT_A_VALUE.test(value) || /^[$%{(*@/.~]/.test(value)) return false
  // An expression of a program: a name, or names with dots between them.
  if (!isQuoted && !isSetting && /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value)) return false
  if (!PASSWORD.test(word)) return looksRandom(value)
  if (isSetting) return value.length >= 6 && /[^\d]/.test(value)
  return (
    value.length >= 6 && /\d|[!#$%^&*+=?]/.test(value) && /[A-Za-z]/.test(value) && (isQuoted || looksRandom(value))
  )
}

const PASSWORD = /^pass|pwd$|pass$/i
const NOT_A_VALUE =
  /^(?:password|passwd|secret|token|string|number|boolean|null|none|nil|undefined|true|false|required|optional|unset|empty|hidden|masked|https?:.*|file:.*)$|password|secret_?name|^sha\d{3}[-:]|^arn:/i
