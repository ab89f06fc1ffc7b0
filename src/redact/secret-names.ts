/** What a name says its value is. */
export interface SecretName {
  readonly kind: string
  /** The words that such names end with, in lower case; they are looked for in every text. */
  readonly words: readonly string[]
  /** What the name has to look like up to the word's end, where the word alone says too little. */
  readonly like?: readonly RegExp[]
  /** A password may be thought up by a person; all else is made by a machine. */
  readonly isPassword?: boolean
  /** Its value may stand behind a space, as in settings of servers. */
  readonly isDirective?: boolean
}

/** Names of secrets. The first that fits names what was found. */
export const SECRET_NAMES: readonly SecretName[] = [
  {
    kind: 'assigned-password',
    words: ['password', 'passwd', 'passphrase', 'passcode', 'passwort', 'storepass', 'keypass', 'pwd'],
    isPassword: true,
  },
  {
    kind: 'assigned-password',
    words: ['requirepass', 'masterauth', 'bindpw', 'rootpw', 'authtok'],
    isPassword: true,
    isDirective: true,
  },
  // Short words that are many other things too.
  {
    kind: 'assigned-password',
    words: ['pass', 'psk', '_auth', '_pw'],
    like: [/(?:^|[^A-Za-z])(?:pass|psk)$/, /[A-Z\d]_(?:PASS|PSK|AUTH|PW)$/, /[a-z\d]P(?:ass|sk)$/],
    isPassword: true,
  },
  { kind: 'assigned-secret', words: ['secret', 'credential', 'credentials'] },
  { kind: 'assigned-token', words: ['token', 'jwt', 'honeycomb-team', 'jfrog-art-api'] },
  { kind: 'assigned-token', words: ['_pat'], like: [/_PAT$/] },
  // `key` alone is the name of any key of any list.
  {
    kind: 'assigned-key',
    words: ['key'],
    like: [
      /(?:api|access|secret|private|auth|encryption|decryption|signing|master|account|app|application|license|service|client|admin|write|ingest|storage|subscription|shared|preshared|server|validation|deploy|session|sdk|webhook|jwt|security|recovery|root|hmac|crypto|cipher|vapid|management)[ ._-]?key$/i,
      // A variable of the environment, a header of HTTP.
      /(?:^|[^A-Za-z])[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_KEY$/,
      /(?<!\w)[A-Z][\w-]{1,40}-Key$/,
    ],
  },
]

/** Words before the last one that take its meaning away: `next_page_token`, `csrf_token`, `public_key`. */
const HARMLESS =
  'page next sync cancel cancellation continuation cursor stop pad eos bos unk mask special max num count public pub git sub upload idempotency primary foreign partition object cache sort design parent first last websocket group index row shard routing surrogate query map lookup by csrf xsrf'.split(
    ' ',
  )
const capitalised = HARMLESS.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
const IS_HARMLESS = [
  new RegExp(`(?<![A-Za-z])(?:${HARMLESS.join('|')})[_-]?$`, 'i'),
  new RegExp(`(?<=[a-z])(?:${capitalised.join('|')})$`),
]

/** Whether a name that ends with one of the words says what the words say: `before` stands in front of the word. */
export function isNameOfSecret({ like }: SecretName, before: string, word: string): boolean {
  if (like && !like.some((pattern) => pattern.test(before + word))) return false
  return !IS_HARMLESS.some((pattern) => pattern.test(before))
}
