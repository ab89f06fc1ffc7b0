import { isExpression, isPlaceholder, looksGenerated } from './random.ts'

/** How a value stands behind its name, which says how much it has to look like a secret itself. */
export type Standing =
  /** In quotes. */
  | 'quoted'
  /** Directly behind `=` or a flag of a command: `PGPASSWORD=…`, `;pwd=…`, `--password …`. */
  | 'setting'
  /** Behind a colon, or with spaces around the sign: it may be a value of YAML or a name in a program. */
  | 'bare'
  /** In a sentence. */
  | 'prose'

/** Whether the value of a name that says `password` is one: not a word, a type, an expression or a placeholder. */
export function isPasswordValue(value: string, standing: Standing): boolean {
  if (value.length < 6 || !/^[\x21-\x7e]+$/.test(value) || isNoValue(value)) return false
  if (looksGenerated(value)) return true
  if ((standing === 'quoted' || standing === 'setting') && PASSPHRASE.test(value)) return true
  if (!/[A-Za-z]/.test(value)) return false
  const digits = value.replaceAll(/\D/g, '').length
  if (standing === 'quoted') return digits > 0 || /[!#$%^&*+=?@]/.test(value)
  if (isExpression(value)) return false
  if (standing === 'setting') return digits > 0 || /[!#%^*+?@]/.test(value)
  // A name in a program may have a digit (`utf8`, `arg1`), seldom more.
  return digits > (standing === 'bare' ? 1 : 2)
}

/** Whether the value of a name that says `token`, `secret` or `key` is one: only what a machine has made. */
export function isTokenValue(value: string, standing: Standing): boolean {
  if (value.length < 8 || isNoValue(value) || !looksGenerated(value)) return false
  return standing === 'quoted' || standing === 'setting' || !isExpression(value)
}

/** Stands where a secret would: a placeholder, a reference, a type, an algorithm. */
function isNoValue(value: string): boolean {
  return NO_VALUE.test(value) || isPlaceholder(value)
}

const NO_VALUE =
  /^[$%{(*@~<[]|^\.|^(?:password|passwd|secret|token|string|number|boolean|null|none|nil|undefined|true|false|required|optional|unset|empty|hidden|masked|https?:.*|file:.*)$|password|secret_?name|^sha\d{1,3}(?:[-:]|$)|@sha\d{3}:|^arn:|^(?:utf-?\d+|base\d+|md\d|argon2\w*|pbkdf2\w*|bcrypt\d*|x509|oauth2\w*|int\d+|uint\d+)$/i

/** Four words and more with hyphens between them. */
const PASSPHRASE = /^[a-z]{3,12}(?:-[a-z]{3,12}){3,8}\d{0,4}$/
