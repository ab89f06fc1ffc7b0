/** A source of random numbers from 0 to 1 that gives the same ones for the same seed. */
export type Random = () => number

/** Random numbers that are the same in every run (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A made-up secret in a line as one finds it. */
export interface MadeSecret {
  readonly text: string
  readonly secret: string
}

/** A kind of secret, and how to make one up. */
export interface Family {
  readonly kind: string
  /** Known by its own shape; the others are guessed from what stands around them. */
  readonly isCertain: boolean
  readonly make: (random: Random) => MadeSecret
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const ALNUM = LOWER + LOWER.toUpperCase() + DIGITS
const HEX = `${DIGITS}abcdef`
const UPPER = LOWER.toUpperCase() + DIGITS
const URL64 = `${ALNUM}-_`
const BASE64 = `${ALNUM}+/`

export function chars(random: Random, count: number, alphabet = ALNUM): string {
  return Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
}

function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T
}

function uuid(r: Random): string {
  return [8, 4, 4, 4, 12].map((count) => chars(r, count, HEX)).join('-')
}

/** Sentences and settings that people have tokens in. */
const AROUND: readonly ((secret: string) => string)[] = [
  (secret) => `the value is ${secret} and it works`,
  (secret) => `curl -H 'X-Thing: ${secret}' https://api.test/v1`,
  (secret) => `  value: ${secret}`,
  (secret) => `console.log("${secret}")`,
  (secret) => `| prod | ${secret} |`,
]

// Beginnings are written in two parts, so that nothing in this file looks like a secret to anyone who searches for some.
function certain(kind: string, makeSecret: (r: Random) => string): Family {
  return { kind, isCertain: true, make: (r) => around(makeSecret(r), pick(r, AROUND)) }
}

function around(secret: string, wrap: (secret: string) => string): MadeSecret {
  return { text: wrap(secret), secret }
}

/** A secret that is known by the line it stands in. */
function inLine(
  kind: string,
  makeSecret: (r: Random) => string,
  lines: readonly ((secret: string, r: Random) => string)[],
  isCertain = true,
): Family {
  return {
    kind,
    isCertain,
    make(r) {
      const secret = makeSecret(r)
      return { secret, text: pick(r, lines)(secret, r) }
    },
  }
}

function password(r: Random): string {
  return (
    chars(r, 6 + Math.floor(r() * 8)) +
    pick(r, ['!', '#', '%', '9', '7']) +
    chars(r, 4, ALNUM) +
    pick(r, DIGITS.split(''))
  )
}

function pem(label: string) {
  return (r: Random): string => {
    const lines = Array.from({ length: 12 }, () => chars(r, 64, BASE64))
    return [
      `-----BEGIN ${label} KEY-----`,
      `MI${lines[0]?.slice(2)}`,
      ...lines.slice(1),
      `${chars(r, 30, BASE64)}==`,
      `-----END ${label} KEY-----`,
    ].join('\n')
  }
}

function base64Of(text: string): string {
  return Buffer.from(text).toString('base64')
}

function jwt(r: Random): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: chars(r, 10), iat: 1_700_000_000 })}.${chars(r, 43, URL64)}`
}

/** Every family that is measured. */
export const families: readonly Family[] = [
  certain('github-token', (r) => `gh${pick(r, ['p', 'o', 'u', 's', 'r'])}_${chars(r, 36)}`),
  certain('github-token', (r) => `github${'_pat_'}${chars(r, 22)}_${chars(r, 59)}`),
  certain('gitlab-token', (r) => `gl${pick(r, ['pat', 'dt', 'rt', 'ptt', 'ft'])}-${chars(r, 20, URL64)}`),
  certain('bitbucket-token', (r) => `AT${'BB'}${chars(r, 32)}`),
  certain('atlassian-token', (r) => `AT${'ATT3'}${chars(r, 186, URL64)}`),
  certain('sourcegraph-token', (r) => `sg${'p_'}${chars(r, 40, HEX)}`),
  certain('npm-token', (r) => `np${'m_'}${chars(r, 36)}`),
  certain('pypi-token', (r) => `py${'pi-AgEIcHlwaS5vcmc'}${chars(r, 140, URL64)}`),
  certain('rubygems-key', (r) => `ruby${'gems_'}${chars(r, 48, HEX)}`),
  certain('nuget-key', (r) => `oy${'2'}${chars(r, 43, LOWER + DIGITS)}`),
  certain('crates-io-token', (r) => `ci${'o'}${chars(r, 32)}`),
  certain('clojars-token', (r) => `CLO${'JARS_'}${chars(r, 60, HEX)}`),
  certain('docker-token', (r) => `dckr${'_pat_'}${chars(r, 27, URL64)}`),
  certain('artifactory-key', (r) => `AK${'Cp'}${chars(r, 69)}`),
  certain('anthropic-key', (r) => `sk-${'ant-'}${pick(r, ['api03', 'admin01', 'oat01'])}-${chars(r, 93, URL64)}AA`),
  certain('openai-key', (r) => `sk-${'proj-'}${chars(r, 74, URL64)}T3Blbk${'FJ'}${chars(r, 74, URL64)}`),
  certain('openai-key', (r) => `s${'k-'}${chars(r, 20)}T3Blbk${'FJ'}${chars(r, 20)}`),
  certain('openrouter-key', (r) => `sk-${'or-v1-'}${chars(r, 64, HEX)}`),
  certain('langfuse-key', (r) => `sk-${'lf-'}${uuid(r)}`),
  certain('langsmith-key', (r) => `lsv2${'_pt_'}${chars(r, 32, HEX)}_${chars(r, 10, HEX)}`),
  certain('huggingface-token', (r) => `h${'f_'}${chars(r, 34)}`),
  certain('replicate-token', (r) => `r${'8_'}${chars(r, 37)}`),
  certain('perplexity-key', (r) => `pp${'lx-'}${chars(r, 48)}`),
  certain('groq-key', (r) => `gs${'k_'}${chars(r, 52)}`),
  certain('xai-key', (r) => `xa${'i-'}${chars(r, 80)}`),
  certain('nvidia-key', (r) => `nv${'api-'}${chars(r, 64, URL64)}`),
  certain('voyage-key', (r) => `p${'a-'}${chars(r, 42, URL64)}${chars(r, 1)}`),
  certain('fireworks-key', (r) => `f${'w_'}${chars(r, 24)}`),
  certain('pinecone-key', (r) => `pc${'sk_'}${chars(r, 6)}_${chars(r, 63)}`),
  certain('tavily-key', (r) => `tv${'ly-'}dev-${chars(r, 32)}`),
  certain('aws-access-key', (r) => `${pick(r, ['AK', 'AS'])}${'IA'}${chars(r, 16, UPPER)}`),
  certain('aws-bedrock-key', (r) => `AB${'SK'}${chars(r, 110, BASE64)}`),
  certain('google-api-key', (r) => `AI${'za'}${chars(r, 35, URL64)}`),
  certain('google-oauth-secret', (r) => `GOC${'SPX-'}${chars(r, 28, URL64)}`),
  certain('google-oauth-token', (r) => `ya${'29.'}a0${chars(r, 160, URL64)}`),
  certain('google-refresh-token', (r) => `1/${'/0'}${chars(r, 60, URL64)}`),
  certain('digitalocean-token', (r) => `do${pick(r, ['p', 'o', 'r'])}_v1_${chars(r, 64, HEX)}`),
  certain('alibaba-key', (r) => `LT${'AI'}${chars(r, 20)}`),
  certain('heroku-key', (r) => `HR${'KU-'}${uuid(r)}`),
  certain('netlify-token', (r) => `nf${'p_'}${chars(r, 36)}`),
  certain('vercel-token', (r) => `vc${'p_'}${chars(r, 56)}`),
  certain('render-key', (r) => `rn${'d_'}${chars(r, 32)}`),
  certain('fly-token', (r) => `fo${'1_'}${chars(r, 43, URL64)}`),
  certain('cloudflare-origin-key', (r) => `v1${'.0-'}${chars(r, 24, HEX)}-${chars(r, 146, HEX)}`),
  certain('supabase-key', (r) => `sb${'p_'}${chars(r, 40, HEX)}`),
  certain('neon-key', (r) => `na${'pi_'}${chars(r, 64)}`),
  certain('planetscale-key', (r) => `psc${'ale_tkn_'}${chars(r, 43, URL64)}`),
  certain('databricks-token', (r) => `da${'pi'}${chars(r, 32, HEX)}`),
  certain('pulumi-token', (r) => `pu${'l-'}${chars(r, 40, HEX)}`),
  certain('doppler-token', (r) => `dp${'.pt.'}${chars(r, 43)}`),
  certain('vault-token', (r) => `hv${'s.'}${chars(r, 95, URL64)}`),
  certain('age-key', (r) => `AGE-SEC${'RET-KEY-1'}${chars(r, 58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}`),
  certain(
    'stripe-key',
    (r) => `${pick(r, ['sk', 'rk'])}_${pick(r, ['live', 'test'])}_${chars(r, 24 + Math.floor(r() * 75))}`,
  ),
  certain('webhook-secret', (r) => `wh${'sec_'}${chars(r, 32)}`),
  certain('square-token', (r) => `sq${'0csp-'}${chars(r, 43, URL64)}`),
  certain('shopify-token', (r) => `sh${'pat_'}${chars(r, 32, HEX)}`),
  certain('razorpay-key', (r) => `rz${'p_live_'}${chars(r, 14)}`),
  certain('flutterwave-key', (r) => `FLW${'SECK-'}${chars(r, 32, HEX)}-X`),
  certain('shippo-token', (r) => `ship${'po_live_'}${chars(r, 40, HEX)}`),
  certain('duffel-token', (r) => `duf${'fel_live_'}${chars(r, 43, URL64)}`),
  certain('easypost-key', (r) => `EZ${'AK'}${chars(r, 54)}`),
  certain('slack-token', (r) => `xo${'xb-'}${chars(r, 12, DIGITS)}-${chars(r, 13, DIGITS)}-${chars(r, 24)}`),
  inLine('slack-webhook', (r) => `T${chars(r, 10, UPPER)}/B${chars(r, 10, UPPER)}/${chars(r, 24)}`, [
    (s) => `curl -X POST https://hooks.sl${'ack.com/services/'}${s}`,
  ]),
  inLine('discord-webhook', (r) => `${chars(r, 19, DIGITS)}/${chars(r, 68, URL64)}`, [
    (s) => `url: https://disc${'ord.com/api/webhooks/'}${s}`,
  ]),
  certain('discord-token', (r) => `M${chars(r, 25)}.G${chars(r, 5, URL64)}.${chars(r, 38, URL64)}`),
  certain('telegram-token', (r) => `${chars(r, 1, '123456789')}${chars(r, 9, DIGITS)}:A${'A'}${chars(r, 33, URL64)}`),
  certain('sendgrid-key', (r) => `S${'G.'}${chars(r, 22, URL64)}.${chars(r, 43, URL64)}`),
  certain('twilio-key', (r) => `S${'K'}${chars(r, 32, HEX)}`),
  certain('mailgun-key', (r) => `ke${'y-'}${chars(r, 32, HEX)}`),
  certain('mailchimp-key', (r) => `${chars(r, 32, HEX)}-u${'s'}${1 + Math.floor(r() * 20)}`),
  certain('brevo-key', (r) => `xke${'ysib-'}${chars(r, 64, HEX)}-${chars(r, 16)}`),
  certain('facebook-token', (r) => `EA${'AC'}${chars(r, 160)}`),
  certain('linear-key', (r) => `lin${'_api_'}${chars(r, 40)}`),
  certain('notion-token', (r) => `nt${'n_'}${chars(r, 11, DIGITS)}${chars(r, 35)}`),
  certain('figma-token', (r) => `fi${'gd_'}${chars(r, 43, URL64)}`),
  certain('airtable-token', (r) => `pa${'t'}${chars(r, 14)}.${chars(r, 64, HEX)}`),
  certain('hubspot-token', (r) => `pa${'t-na1-'}${uuid(r)}`),
  certain('postman-key', (r) => `PM${'AK-'}${chars(r, 24, HEX)}-${chars(r, 34, HEX)}`),
  certain('contentful-token', (r) => `CF${'PAT-'}${chars(r, 43, URL64)}`),
  certain('dropbox-token', (r) => `s${'l.'}${chars(r, 140, URL64)}`),
  certain('sentry-token', (r) => `sn${'tryu_'}${chars(r, 64, HEX)}`),
  certain('newrelic-key', (r) => `NR${'AK-'}${chars(r, 27, UPPER)}`),
  certain('grafana-token', (r) => `gl${'sa_'}${chars(r, 32)}_${chars(r, 8, HEX)}`),
  certain('dynatrace-token', (r) => `dt${'0c01.'}${chars(r, 24, UPPER)}.${chars(r, 64, UPPER)}`),
  certain(
    'onepassword-token',
    (r) => `op${'s_'}${base64Of(JSON.stringify({ email: `${chars(r, 12)}@test`, key: chars(r, 120) }))}`,
  ),
  certain('terraform-token', (r) => `${chars(r, 14)}.atl${'asv1.'}${chars(r, 67, URL64)}`),
  certain('azure-client-secret', (r) => `${chars(r, 3)}8${'Q~'}${chars(r, 34, `${ALNUM}_~-`)}`),
  certain('azure-devops-token', (r) => `${chars(r, 76)}AZ${'DO'}${chars(r, 4)}`),
  certain('azure-api-key', (r) => `${chars(r, 52)}JQ${'QJ99'}${chars(r, 26)}`),
  certain('jwt', jwt),
  certain('private-key', pem('RSA PRIVATE')),
  certain('private-key', pem('OPENSSH PRIVATE')),
  certain('private-key', (r) => pem('PGP PRIVATE')(r).replaceAll('KEY-----', 'KEY BLOCK-----')),
  certain('password-hash', (r) => `$2${'b$12$'}${chars(r, 53, `${ALNUM}./`)}`),
  inLine('aws-secret-key', (r) => chars(r, 40, `${ALNUM}/+`), [
    (s) => `AWS_SECRET_${'ACCESS_KEY'}=${s}`,
    (s) => `aws_secret_${'access_key'} = ${s}`,
    (s) => `"SecretAccess${'Key'}": "${s}"`,
  ]),
  inLine('azure-storage-key', (r) => `${chars(r, 86, BASE64)}==`, [
    (s) => `DefaultEndpointsProtocol=https;AccountName=ana;Account${'Key'}=${s};EndpointSuffix=core.windows.net`,
  ]),
  inLine('azure-access-key', (r) => `${chars(r, 43, BASE64)}=`, [
    (s) => `Endpoint=sb://ana.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccess${'Key'}=${s}`,
  ]),
  inLine('azure-sas', (r) => encodeURIComponent(`${chars(r, 43, BASE64)}=`), [
    (s) => `https://ana.blob.core.windows.net/x?sv=2024-01-01&se=2026-01-01&s${'ig'}=${s}`,
  ]),
  inLine('cloudflare-token', (r) => chars(r, 40, URL64), [
    (s) => `CLOUDFLARE_API_${'TOKEN'}=${s}`,
    (s) => `cloudflare_${'token'}: "${s}"`,
  ]),
  inLine('url-password', password, [
    (s) => `postgres://ana:${s}@db.test:5432/app`,
    (s) => `git clone https://ana:${s}@git.test/x.git`,
    (s) => `mongodb+srv://ana:${s}@cluster0.test/db?x=1`,
    (s) => `redis://:${s}@cache.test:6379`,
  ]),
  inLine('bearer-token', (r) => chars(r, 40, URL64), [
    (s) => `Authorization: Bear${'er'} ${s}`,
    (s) => `curl -H "Authorization: bear${'er'} ${s}" https://api.test`,
  ]),
  inLine('basic-auth', (r) => base64Of(`ana:${password(r)}`), [
    (s) => `Authorization: Bas${'ic'} ${s}`,
    (s) => `-H 'authorization: bas${'ic'} ${s}'`,
  ]),
  inLine('cookie', (r) => `sid=${chars(r, 40)}`, [(s) => `Cook${'ie'}: ${s}`, (s) => `< Set-Cook${'ie'}: ${s}`]),
  inLine('netrc-password', password, [(s) => `machine api.test login ana pass${'word'} ${s}`]),
  inLine('npmrc-auth', (r) => chars(r, 32, HEX), [(s) => `//registry.test/:_auth${'Token'}=${s}`]),
  inLine('kubeconfig-key', (r) => chars(r, 400, BASE64), [(s) => `    client-key-${'data'}: ${s}`]),
  inLine('docker-auth', (r) => base64Of(`ana:${password(r)}`), [
    (s) => `{"auths":{"registry.test":{"au${'th'}": "${s}"}}}`,
  ]),
  inLine(
    'command-password',
    password,
    [(s) => `sshpass -p ${s} ssh ana@host`, (s) => `curl -u ana:${s} https://api.test`],
    false,
  ),
  inLine(
    'assigned-password',
    password,
    [
      (s) => `DB_PASS${'WORD'}=${s}`,
      (s) => `export PGPASS${'WORD'}='${s}'`,
      (s) => `"pass${'word'}": "${s}"`,
      (s) => `Server=db;Database=app;Pass${'word'}=${s};`,
      (s) => `mysql --pass${'word'}=${s} app`,
    ],
    false,
  ),
  inLine(
    'assigned-secret',
    (r) => chars(r, 32),
    [(s) => `CLIENT_SEC${'RET'}=${s}`, (s) => `client_sec${'ret'}: '${s}'`, (s) => `clientSec${'ret'} = "${s}"`],
    false,
  ),
  inLine(
    'assigned-token',
    (r) => chars(r, 40, HEX),
    [
      (s) => `ACCESS_TOK${'EN'}=${s}`,
      (s) => `"refresh_tok${'en'}":"${s}"`,
      (s) => `  tok${'en'}: ${s}`,
      (s) => `deploy --tok${'en'} ${s}`,
    ],
    false,
  ),
  inLine(
    'assigned-key',
    (r) => chars(r, 32),
    [
      (s) => `SERVICE_API_${'KEY'}=${s}`,
      (s) => `api${'Key'}: "${s}"`,
      (s) => `x-api-${'key'}: ${s}`,
      (s) => `setenv("API_${'KEY'}", "${s}")`,
    ],
    false,
  ),
]
