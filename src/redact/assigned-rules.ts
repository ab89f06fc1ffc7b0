import type { Rule, Span } from './rule.ts'
import { isNameOfSecret, SECRET_NAMES, type SecretName } from './secret-names.ts'
import { isPasswordValue, isTokenValue, type Standing } from './secret-value.ts'

/** Values that are assigned to a name which says that they are secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`. */
export const assignedRules: readonly Rule[] = SECRET_NAMES.map((name) => {
  const { kind, words } = name
  const word = new RegExp(`(?:${words.toSorted((a, b) => b.length - a.length).join('|')})`, 'iy')
  return {
    kind,
    keywords: words,
    isGuess: true,
    match: (text: string, at: number) => assignedAt(name, word, text, at),
    mayBeEncoded(text: string, at: number) {
      word.lastIndex = at
      const end = word.test(text) ? word.lastIndex : at
      ENCODED.lastIndex = end
      return ENCODED.test(text) && /[\\%]/.test(text.slice(Math.max(0, at - 2), end + 100))
    },
  }
})

/** What may follow the word in a name: `SECRET_KEY_BASE`, `password2`, `TOKEN_PROD`. */
const REST =
  /(?:[_-]?(?:key|value|base64|base|prod|production|dev|staging|test|live|main|old|new|id|\d{1,3}))?\d{0,2}["'`]?/iy

/** What stands between a name and its value, in the ways of settings, programs, markup and commands. */
const SEPARATORS: readonly (readonly [pattern: RegExp, standing: Standing, isFor?: 'isPassword' | 'isDirective'])[] = [
  [/=(?=[^\s=>])/y, 'setting'],
  [/\s{0,3}(?::=|=>|=(?!=)|:(?!:)|,(?=\s?["'`]))\s{0,3}/y, 'bare'],
  // Flags: `--token x`, `-storepass x`.
  [/(?<=(?:\s|^)--?[a-zA-Z][\w-]{1,40})\s{1,3}/y, 'setting'],
  // XML: `<password>x<`, `key="ApiSecret" value="x"`.
  [/(?<=<[\w.:-]{1,60})>/y, 'setting'],
  [/\s{1,4}value\s{0,2}=\s{0,2}(?=["'])/y, 'quoted'],
  // Kubernetes and Terraform: `- name: X`, below it `value: x`; `variable "x" {`, below it `default = "x"`.
  [/\s{0,3}\n[+-]?\s{1,20}value:\s{1,3}/y, 'setting'],
  [/\s{1,3}\{[\s+-]{1,20}(?:type\s{1,9}=\s{1,3}\w{1,20}[\s+-]{1,20})?default\s{1,9}=\s{1,3}(?=")/y, 'quoted'],
  // SQL and Gradle: `PASSWORD 'x'`, `PASSWORD('x')`, `keyPassword "x"`.
  [/(?:\s{1,3}|\s{0,3}\(\s{0,3})(?=["'])/y, 'bare', 'isPassword'],
  // A line of a settings file: `requirepass x`, `password x`.
  [/[ \t]{1,3}/y, 'setting', 'isDirective'],
  [/(?<=(?:^|\n)[ \t+-]{0,12}[\w.]{1,40})[ \t]{1,3}(?=\S{6,256}[ \t]{0,3}(?:[\r\n]|$))/y, 'bare', 'isPassword'],
  [/ (?:is|was)(?: now)?:? (?=\S)/y, 'prose', 'isPassword'],
]

const VALUE =
  /[NE]?(?:"([^"\s\\]{4,512})"|'([^'\s\\]{4,512})')|`([^`\s\\]{4,512})`|([^\s"'`,;&|<>(){}[\]\\\u0080-\uffff]{4,512})/y

/** What may follow a name where an escape is near. */
const ENCODED = /[\w-]{0,12}["'`]?[\s:=,>({\\%]/y

function assignedAt(name: SecretName, word: RegExp, text: string, at: number): Span | undefined {
  word.lastIndex = at
  if (!word.test(text)) return undefined
  REST.lastIndex = word.lastIndex
  REST.test(text)
  const end = REST.lastIndex === 0 ? word.lastIndex : REST.lastIndex
  if (!MAY_FOLLOW.test(text[end] ?? '')) return undefined
  if (!isNameOfSecret(name, text.slice(Math.max(0, at - 48), at), text.slice(at, word.lastIndex))) return undefined
  let tried = -1
  for (const [pattern, standing, isFor] of SEPARATORS) {
    if (isFor && (!name[isFor] || name.like)) continue
    pattern.lastIndex = end
    // Where two fit, the first asks less of the value.
    if (!pattern.test(text) || pattern.lastIndex === tried) continue
    tried = pattern.lastIndex
    const found = valueAt(text, pattern.lastIndex, standing, name)
    if (found) return found
  }
  return undefined
}

/** No separator begins with anything else. */
const MAY_FOLLOW = /[\s:=,>(]/

function valueAt(text: string, at: number, standing: Standing, name: SecretName): Span | undefined {
  VALUE.lastIndex = at
  const found = VALUE.exec(text)
  const value = found?.[1] ?? found?.[2] ?? found?.[3] ?? found?.[4]
  if (!found || value === undefined) return undefined
  const isQuoted = found[4] === undefined
  // A call or an element of a list is no value.
  if (!isQuoted && /[([]/.test(text[VALUE.lastIndex] ?? '')) return undefined
  const to = VALUE.lastIndex - (isQuoted ? 1 : 0)
  const isSecret = name.isPassword ? isPasswordValue : isTokenValue
  return isSecret(value, isQuoted ? 'quoted' : standing) ? { from: to - value.length, to } : undefined
}

/** The kind of a field's value by the field's name alone; for values that are decoded apart from their names. */
export function kindOfField(field: string, value: string): string | undefined {
  if (field.length > 64 || value.length < 6 || value.length > 4096) return undefined
  const name = nameOf(field)
  if (name === undefined || /\s/.test(value)) return undefined
  const isSecret = name.isPassword ? isPasswordValue : isTokenValue
  return isSecret(value, 'quoted') ? name.kind : undefined
}

const known = new Map<string, SecretName | undefined>()

/** What a field's name says. The same few names come again and again. */
function nameOf(field: string): SecretName | undefined {
  if (known.has(field)) return known.get(field)
  const found = FIELD.exec(field)
  const word = found?.[1]?.toLowerCase() ?? ''
  const name = SECRET_NAMES.find(
    (one) => one.words.includes(word) && isNameOfSecret(one, field.slice(0, found?.index ?? 0), found?.[1] ?? ''),
  )
  if (known.size < 10_000) known.set(field, name)
  return name
}

const FIELD = new RegExp(
  `(${SECRET_NAMES.flatMap(({ words }) => words)
    .toSorted((a, b) => b.length - a.length)
    .join('|')})(?:[_-]?(?:base|base64|value))?[_-]?\\d{0,2}$`,
  'i',
)
