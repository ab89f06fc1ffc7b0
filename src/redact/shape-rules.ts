import { isBrokenRun } from './broken-run.ts'
import { isPlaceholder, looksRandom } from './random.ts'
import { type Rule, shape } from './rule.ts'
import { isPasswordValue } from './secret-value.ts'

const KEY_LINES = /[A-Za-z0-9+/=\s\\|>]/

/** Secrets that are known by what stands around them, or by their shape. */
export const shapeRules: readonly Rule[] = [
  // A private key to its end, or, where that was cut off, as long as lines of base64 follow. What stands between them
  // (escapes, signs of a diff, numbers of lines) is taken along.
  shape(
    'private-key',
    ['-----begin'],
    /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]{0,20000}-(?!----)){0,1000}[^-]{0,20000}-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\\{1,8}[nr]|[^A-Za-z0-9+/=\\]|\d{1,5}[^A-Za-z0-9+/=\\]){0,16}[A-Za-z0-9+/=]{24,200}){1,400}(?:\\{1,8}[nr]|[^A-Za-z0-9+/=\\]){0,16}[A-Za-z0-9+/=]{0,80})/,
    {
      isSecret: (secret) => /[A-Za-z0-9+/=]{32}/.test(secret),
      reach: 8000,
      mayBeEncoded: (text, at) => /PRIVATE/.test(text.slice(at, at + 80).replaceAll(/\s/g, '')),
    },
  ),
  privateKeyEnd(),
  shape('putty-key', ['private-lines:'], /Private-Lines: \d{1,3}(?<secret>[\w+/=\s\\-]{40,8192})/),
  shape('jwt', ['eyj'], /(?<![\w.]|[\w.]-)eyJ[\w-]{8,2048}\.eyJ[\w-]{8,8192}\.[\w-]{16,2048}/, {
    reach: 4000,
    mayBeEncoded: (text, at) => isBrokenRun(text, at, 40),
  }),
  shape(
    'slack-webhook',
    ['hooks.slack.com/'],
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{30,100}/,
  ),
  shape(
    'discord-webhook',
    ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    /discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,80}/,
  ),
  shape('teams-webhook', ['.webhook.office.com/'], /\.webhook\.office\.com\/webhookb2\/[\w@/-]{80,250}/),
  shape('telegram-token', [':aa'], /:AA[\w-]{32,34}(?![\w-])/, { lead: { chars: /\d/, min: 8, max: 10 } }),
  shape('discord-token', ['.g'], /\.G[\w-]{5}\.[\w-]{27,38}(?![\w-])/, {
    lead: { chars: /[\w-]/, min: 24, max: 26 },
    isSecret: (secret) => /^[MNO]/.test(secret),
    mayBeEncoded: (text, at) => /^\.G[\w\s\\>|-]{5,24}\./.test(text.slice(at, at + 32)),
  }),
  shape('mailchimp-key', ['-us'], /-us\d{1,2}(?!\w)/, {
    lead: { chars: /[0-9a-f]/, min: 32, max: 32 },
  }),
  shape('terraform-token', ['.atlasv1.'], /\.atlasv1\.[\w-]{60,70}/, {
    lead: { chars: /[A-Za-z0-9]/, min: 14, max: 14 },
  }),
  shape('azure-client-secret', ['q~'], /Q~[\w~.-]{31,34}(?![\w~-])/, {
    lead: { chars: /[\w~.-]/, min: 4, max: 4 },
    isSecret: (secret) => /^...\d/.test(secret),
  }),
  shape('azure-devops-token', ['azdo'], /AZDO[A-Za-z0-9]{4}(?!\w)/, {
    lead: { chars: /[A-Za-z0-9]/, min: 76, max: 76 },
  }),
  shape('azure-api-key', ['jqqj99'], /JQQJ99[A-Za-z0-9]{26}(?!\w)/, {
    lead: { chars: /[A-Za-z0-9]/, min: 52, max: 52 },
  }),
  shape('azure-storage-key', ['accountkey='], /AccountKey=(?<secret>[A-Za-z0-9+/]{60,90}={0,2})/i),
  shape('azure-access-key', ['sharedaccesskey='], /SharedAccessKey=(?<secret>[A-Za-z0-9+/]{40,90}={0,2})/i),
  shape('azure-sas', ['sig='], /(?<=[?&;])sig=(?<secret>[\w%+/-]{40,100}={0,2})/),
  shape('azure-function-key', ['code='], /(?<=[?&;])code=(?<secret>[\w%+/-]{40,100}={0,2})/, { isSecret: looksRandom }),
  shape('aws-signature', ['signature='], /(?<=x-amz-|aws4-hmac-sha256[^\n]{1,400})signature=(?<secret>[0-9a-f]{64})/i),
  shape('google-signature', ['signature='], /(?<=x-goog-)signature=(?<secret>[0-9a-f]{64,1024})/i, { reach: 1200 }),
  // RSA, in the letters that CloudFront has for base64.
  shape('cloudfront-signature', ['signature='], /(?<=[?&;\s"'-])signature=(?<secret>[\w~-]{160,700})/i, { reach: 800 }),
  shape(
    'mnemonic',
    [
      'mnemonic',
      'seed phrase',
      'seed_phrase',
      'seedphrase',
      'seed words',
      'recovery phrase',
      'recovery_phrase',
      'secret phrase',
      'backup phrase',
    ],
    /(?:mnemonic|(?:seed|recovery|secret|backup)[ _]?(?:phrase|words))\w{0,16}["'`]?(?:\s{0,3}(?:[:=]|\bis\b|\bwas\b)){0,2}\s{0,3}["'`]?(?<secret>(?:(?:\d{1,2}[.)]\s?)?[a-z]{3,8}[\s,]{1,3}){11}(?:(?:(?:\d{1,2}[.)]\s?)?[a-z]{3,8}[\s,]{1,3}){12})?(?:\d{1,2}[.)]\s?)?[a-z]{3,8})(?![a-z])/i,
    { isSecret: isMnemonic, isGuess: true, reach: 400 },
  ),
  shape(
    'aws-secret-key',
    ['secret_access_key', 'secretaccesskey', 'secret_key', 'secretkey'],
    /secret_?(?:access_?)?key["'`]?\s{0,3}(?::=|=>|[:=,])\s{0,3}["'`]?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/i,
    {
      isSecret: (secret) => !isPlaceholder(secret) && /\d/.test(secret) && /[A-Z]/.test(secret) && /[a-z]/.test(secret),
    },
  ),
  shape(
    'aws-session-token',
    ['session_token', 'sessiontoken', 'security_token'],
    /(?:session|security)_?token["'`]?\s{0,3}[:=]\s{0,3}["'`]?(?<secret>[A-Za-z0-9/+=]{100,2048})/i,
  ),
  shape('twitter-token', ['aaaaaaaaaaaaaaaaaaaa'], /(?<![\w/]|[\w/]\+)A{20,24}(?!A)[A-Za-z0-9%]{60,120}(?![\w+/=])/, {
    mayBeEncoded: (text, at) => isWordStart(text, at) && isBrokenRun(text, at, 80),
  }),
  shape('firebase-key', ['aaaa'], /(?<![\w-])AAAA[\w-]{7}:[\w-]{120,180}/, {
    mayBeEncoded: (text, at) => isWordStart(text, at) && isBrokenRun(text, at, 120),
  }),
  shape('json-web-key', ['kty'], /kty"[^{}]{1,2000}?"d"\s{0,3}:\s{0,3}"(?<secret>[\w-]{22,700})"/, { reach: 2800 }),
  shape(
    'cloudflare-token',
    ['cloudflare', 'cf_api'],
    /(?:cloudflare|cf_api)[\w.-]{0,30}["'`]?\s{0,3}[:=]\s{0,3}["'`]?(?<secret>[\w-]{37,40})(?![\w-])/i,
    { isSecret: looksRandom },
  ),
  shape(
    'heroku-key',
    ['heroku'],
    /heroku[\w.-]{0,30}["'`]?\s{0,3}[:=]\s{0,3}["'`]?(?<secret>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/i,
  ),

  // Addresses and headers.
  shape('url-password', ['://'], /:\/\/[^\s:@/"'`<>\\]{0,128}:(?<secret>[^\s@/"'`<>\\[\]]{1,256})@[A-Za-z0-9[%]/, {
    isSecret: isPassword,
    mayBeEncoded: mayHoldUser,
  }),
  shape('url-token', ['://'], /:\/\/(?<secret>[\w.~+-]{20,256})(?::x-oauth-basic)?@[A-Za-z0-9[]/, {
    isSecret: looksRandom,
    mayBeEncoded: mayHoldUser,
  }),
  shape(
    'bearer-token',
    ['bearer'],
    /bearer(?:["'`]?[ \t]{0,2}[:=,][ \t]{0,2}["'`]?|[ \t]{1,3})(?<secret>[\w.~+/-]{16,4096}={0,2})/i,
    {
      isSecret: looksRandom,
      isGuess: true,
    },
  ),
  shape('basic-auth', ['basic '], /(?<![A-Za-z])basic (?<secret>[A-Za-z0-9+/]{12,1024}={0,2})(?![A-Za-z])/i, {
    isSecret: isCredential,
    isGuess: true,
  }),
  shape(
    'authorization-header',
    ['authorization'],
    /(?:proxy-)?authorization["'`]?\s{0,2}[:=,]\s{0,2}["'`]?(?:[A-Za-z][\w-]{1,20}\s{1,2})?(?:token=)?(?<secret>[\w.~+/=:-]{8,4096})/i,
    { isSecret: isCredential, isGuess: true },
  ),
  shape('cookie', ['cookie:'], /cookie:\s{0,2}(?<secret>[\w.-]{1,64}=[^\r\n"'`\\]{16,4096})/i, { reach: 2000 }),

  // Files.
  shape(
    'netrc-password',
    ['machine '],
    /machine\s+\S{1,256}\s+login\s+\S{1,256}\s+password\s+(?<secret>(?:(?!<\/)[^\s"'\\]){3,256})/,
    { isSecret: isPassword },
  ),
  shape(
    'npmrc-auth',
    ['_authtoken', '_auth', '_password'],
    /(?<=[:\s"'`+-]|^)_(?:authToken|auth|password)(?:\s{0,3}=\s{0,3}|\s{1,3})["']?(?<secret>[\w+/=.-]{8,1024})/,
    { isSecret: (secret) => isPasswordValue(secret, 'setting') },
  ),
  shape(
    'kubeconfig-key',
    ['client-key-data'],
    /client-key-data["']?:\s{0,3}["']?(?<secret>[A-Za-z0-9+/]{40,8192}={0,2})/,
    { reach: 8000 },
  ),
  shape('docker-auth', ['auth"', 'auth\\'], /(?<=")auth"\s{0,3}:\s{0,3}"(?<secret>[A-Za-z0-9+/]{12,2048}={0,2})"/, {
    isSecret: isCredential,
    isGuess: true,
  }),
  shape(
    'password-hash',
    ['$2a$', '$2b$', '$2y$', '$6$', '$5$', '$apr1$', '$argon2', '$2a\\', '$2b\\', '$2y\\', '$6\\', '$5\\', '$apr1\\'],
    /\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{53}|[56]\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}|apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|argon2(?:id?|d)\$v=\d{1,3}\$[\w=,]{5,40}\$[A-Za-z0-9+/]{8,64}\$[A-Za-z0-9+/]{16,128})/,
  ),
  shape(
    'pgpass-password',
    [':5432:', ':5433:', ':6432:', ':*:'],
    /:(?:\d{4}|\*):[\w*.-]{1,64}:[\w*.-]{1,64}:(?<secret>[^\s:"'`<\\]{6,256})(?=["'`<]|\s|$)/,
    { isSecret: (secret) => isPasswordValue(secret, 'setting'), isGuess: true },
  ),
  shape(
    'sql-password',
    ['identified by', 'identified with'],
    /identified (?:by|with \w{1,40} by)\s{1,3}["'](?<secret>[^"'\s]{6,256})["']/i,
    { isSecret: (secret) => isPasswordValue(secret, 'quoted'), isGuess: true },
  ),
  shape(
    'login-pair',
    ['auth'],
    /auth\w{0,10}\s{0,2}[=:(]\s{0,2}[([]{0,1}\s{0,2}["'][\w.@+-]{1,64}["']\s{0,2},\s{0,2}["'](?<secret>[^"'\s]{6,256})["']\s{0,2}[)\]]/i,
    { isSecret: (secret) => isPasswordValue(secret, 'quoted'), isGuess: true },
  ),
]

/** Words that a wallet draws from are nouns and verbs; prose has some of these in every dozen words. */
function isMnemonic(secret: string): boolean {
  return (
    secret === secret.toLowerCase() &&
    !/\b(?:the|and|for|are|was|with|from|not|have|has|will|your|but|our|its|must|does|were|been|these|which)\b/.test(
      secret,
    )
  )
}

/** Long runs of one letter are full of its keyword. */
function isWordStart(text: string, at: number): boolean {
  return !/[\w/]/.test(text[at - 1] ?? '')
}

/** Most addresses name no user. */
function mayHoldUser(text: string, at: number): boolean {
  return /@|%40/.test(text.slice(at, at + 300))
}

/** What a person would take as a password: nothing that only stands for one. */
function isPassword(secret: string): boolean {
  const isTyped = /[^\d]/.test(secret) && !isPlaceholder(secret)
  return isTyped && !NO_PASSWORD.test(secret) && !/^[$%{(*]|[})]$/.test(secret)
}

const NO_PASSWORD =
  /^(?:pass(?:word|wd)?|pwd|secret|token|user(?:name)?|root|admin|test|string|null|undefined|none|true|false|pw|port)$/i

/** Letters with digits or signs among them, or `name:password` in base64. */
function isCredential(secret: string): boolean {
  if (isPlaceholder(secret)) return false
  if (looksRandom(secret)) return true
  return secret.length % 4 === 0 && /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(secret, 'base64').toString('latin1'))
}

/** The last lines of a private key whose beginning is elsewhere: in another block, or cut off. */
function privateKeyEnd(): Rule {
  const end = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/y
  return {
    kind: 'private-key',
    keywords: ['-----end'],
    mayBeEncoded: () => true,
    match(text, at) {
      end.lastIndex = at
      if (!end.test(text)) return undefined
      let from = at
      while (at - from < 20_000 && KEY_LINES.test(text[from - 1] ?? '-')) from--
      return /[A-Za-z0-9+/=]{24}/.test(text.slice(from, at)) ? { from, to: end.lastIndex } : undefined
    },
  }
}
