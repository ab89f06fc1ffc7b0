import { uuid } from '../draws.ts'
import type { Draw } from '../kind.ts'
import { ALPHABET, type Random } from '../random.ts'
import { functionName, lines, noun, packageName, path, version } from './words.ts'

const hex = (random: Random, length: number): string => random.chars(ALPHABET.hex, length)
const PNG_OPENING = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Hashes, ids, pictures, public keys and other long strings that tell nothing. */
export const DATA_FILES: Readonly<Record<string, Draw>> = {
  'git-log': (random) =>
    lines(
      random,
      10,
      () =>
        `commit ${hex(random, 40)}\nMerge: ${hex(random, 7)} ${hex(random, 7)}\n    fix(${noun(random).toLowerCase()}): ${functionName(random)}`,
    ),
  'git-oneline': (random) =>
    lines(random, 30, () => `${hex(random, 9)} ${functionName(random)} of the ${noun(random).toLowerCase()}`),
  'git-diff': (random) =>
    lines(
      random,
      8,
      () =>
        `diff --git a/${path(random)} b/${path(random)}\nindex ${hex(random, 10)}..${hex(random, 10)} 100644\n@@ -${random.below(99)},7 +${random.below(99)},7 @@ ${functionName(random)}`,
    ),
  sha256sums: (random) =>
    lines(random, 30, () => `${hex(random, 64)}  ${packageName(random)}-${version(random)}.tar.gz`),
  md5sums: (random) => lines(random, 30, () => `MD5 (${path(random)}) = ${hex(random, 32)}`),
  'image-digests': (random) =>
    lines(random, 20, () => `FROM ghcr.io/acme/${packageName(random)}:${version(random)}@sha256:${hex(random, 64)}`),
  'actions-pins': (random) =>
    lines(random, 20, () => `      - uses: actions/checkout@${hex(random, 40)} # v${version(random)}`),
  'script-integrity': (random) =>
    lines(
      random,
      10,
      () =>
        `<script src="https://cdn.acme.dev/${packageName(random)}.js" integrity="sha384-${random.bytes(48).toString('base64')}" crossorigin="anonymous"></script>`,
    ),
  // Not `secret_id` or `token_id`: such ids are secrets with some makers.
  uuids: (random) =>
    lines(random, 30, () => `${random.pick(['order', 'invoice', 'request', 'trace', 'customer'])}_id: ${uuid(random)}`),
  'session-records': (random) => lines(random, 12, sessionRecord),
  pictures: (random) =>
    lines(
      random,
      2,
      () =>
        `![${noun(random)}](data:image/png;base64,${Buffer.concat([PNG_OPENING, random.bytes(random.between(200, 900))]).toString('base64')})`,
    ),
  'picture-in-css': (random) =>
    lines(
      random,
      2,
      () => `  background: url("data:image/gif;base64,R0lGODlh${random.bytes(300).toString('base64')}") no-repeat;`,
    ),
  'source-map': (random) =>
    lines(
      random,
      2,
      () =>
        `{"version":3,"sources":["${path(random)}"],"mappings":"${Array.from({ length: 60 }, () => random.chars('ACDEGIMOQSUWYceijkmoqsw', random.between(4, 5))).join(random.pick([',', ';']))}"}`,
    ),
  svg: (random) =>
    lines(
      random,
      15,
      () =>
        `<path d="M${random.below(99)}.${random.below(999)} ${random.below(99)}c${Array.from({ length: 20 }, () => `-${random.below(9)}.${random.below(999)}`).join(',')}z" fill="#${hex(random, 6)}"/>`,
    ),
  certificate: (random) => publicBlock(random, 'CERTIFICATE', 'MIID', 1100),
  'public-key': (random) => publicBlock(random, 'PUBLIC KEY', 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA', 340),
  'ssh-public-keys': (random) =>
    lines(
      random,
      10,
      () =>
        `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random.chars(ALPHABET.base64, 43)} ${noun(random).toLowerCase()}@acme.dev`,
    ),
  'known-hosts': (random) =>
    lines(
      random,
      10,
      () => `git.acme.dev ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${random.chars(ALPHABET.base64, 340)}=`,
    ),
  csv: (random) =>
    lines(
      random,
      30,
      () =>
        `${random.below(99_999)},${noun(random)},2026-0${random.between(1, 9)}-1${random.below(9)},${random.below(9999)}.${random.below(99)},${random.pick(['EUR', 'CHF', 'USD'])}`,
    ),
  'http-headers': (random) =>
    lines(
      random,
      8,
      () =>
        `ETag: "${hex(random, 32)}"\nX-Request-Id: ${uuid(random)}\nCF-Ray: ${hex(random, 16)}-ZRH\nCache-Control: max-age=${random.below(9999)}`,
    ),
  'bundle-names': (random) =>
    lines(
      random,
      20,
      () =>
        `dist/assets/${functionName(random)}-${random.chars(ALPHABET.base64url, 8)}.js  ${random.below(900)}.${random.below(99)} kB │ gzip: ${random.below(300)}.0${random.below(9)} kB`,
    ),
}

/** Lines as a coding assistant keeps them: ids of messages, requests and tool calls, and counts of tokens. */
function sessionRecord(random: Random): string {
  const id = (): string => `01${random.chars(ALPHABET.base62, 22)}`
  return JSON.stringify({
    parentUuid: uuid(random),
    sessionId: uuid(random),
    requestId: `req_011${random.chars(ALPHABET.base62, 21)}`,
    message: {
      id: `msg_${id()}`,
      content: [{ type: 'tool_use', id: `toolu_${id()}`, name: 'Bash', input: { command: `cat ${path(random)}` } }],
      usage: {
        input_tokens: random.below(9000),
        cache_read_input_tokens: random.below(90_000),
        output_tokens: random.below(900),
      },
    },
    uuid: uuid(random),
    timestamp: `2026-02-1${random.below(9)}T10:1${random.below(9)}:00.${random.between(100, 999)}Z`,
  })
}

function publicBlock(random: Random, label: string, opening: string, length: number): string {
  const body = (opening + random.chars(ALPHABET.base64, length)).replace(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`
}
