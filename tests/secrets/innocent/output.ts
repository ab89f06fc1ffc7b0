import { uuid } from '../draws.ts'
import type { Draw } from '../kind.ts'
import { ALPHABET, type Random } from '../random.ts'
import { functionName, lines, noun, packageName, path, version } from './words.ts'

const clock = (random: Random): string => `1${random.below(9)}:${random.between(10, 59)}:${random.between(10, 59)}`

/** What programs print: logs, stack traces, test reports and listings. */
export const OUTPUT_FILES: Readonly<Record<string, Draw>> = {
  log: (random) => lines(random, 30, logLine),
  'json-log': (random) =>
    lines(random, 20, () =>
      JSON.stringify({
        level: 'info',
        time: `2026-03-04T${clock(random)}Z`,
        traceId: random.chars(ALPHABET.hex, 32),
        spanId: random.chars(ALPHABET.hex, 16),
        msg: `${functionName(random)} done`,
        tokens: random.below(9999),
      }),
    ),
  'access-log': (random) =>
    lines(
      random,
      30,
      () =>
        `10.0.${random.below(255)}.${random.below(255)} - - [04/Mar/2026:${clock(random)} +0000] "GET /${noun(random).toLowerCase()}/${random.below(9999)}?page=${random.below(99)} HTTP/1.1" 200 ${random.below(99_999)} "-" "Mozilla/5.0 (X11; Linux x86_64)"`,
    ),
  'node-trace': (random) =>
    `TypeError: Cannot read properties of undefined (reading 'password')\n${lines(random, 12, () => `    at ${functionName(random)} (file:///srv/app/${path(random)}:${random.below(900)}:${random.below(80)})`)}`,
  'python-trace': (random) =>
    `Traceback (most recent call last):\n${lines(random, 8, () => `  File "/srv/app/${path(random)}", line ${random.below(900)}, in ${functionName(random)}\n    return ${functionName(random)}(token)`)}\nKeyError: 'password'`,
  'java-trace': (random) =>
    lines(
      random,
      15,
      () =>
        `\tat dev.acme.${noun(random).toLowerCase()}.${noun(random)}Service.${functionName(random)}(${noun(random)}Service.java:${random.below(900)})`,
    ),
  'test-report': (random) =>
    lines(
      random,
      30,
      () =>
        ` ${random.pick(['✓', '×', '↓'])} ${path(random)} > ${functionName(random)} refuses a wrong password (${random.below(900)} ms)`,
    ),
  'directory-list': (random) =>
    lines(
      random,
      30,
      () =>
        `-rw-r--r-- 1 ines staff ${random.below(99_999)} Mar  ${random.between(1, 9)} ${clock(random).slice(0, 5)} ${path(random)}`,
    ),
  'npm-install': (random) =>
    lines(random, 15, () =>
      random.pick([
        `npm warn deprecated ${packageName(random)}@${version(random)}: use passwordless instead`,
        `added ${random.below(900)} packages in ${random.below(90)}s`,
        `npm http fetch GET 200 https://npm.acme.dev/${packageName(random)} ${random.below(900)}ms`,
      ]),
    ),
  'pod-list': (random) =>
    lines(
      random,
      20,
      () =>
        `${noun(random).toLowerCase()}-api-${random.chars('bcdfghjklmnpqrstvwxz2456789', 9)}-${random.chars('bcdfghjklmnpqrstvwxz2456789', 5)}   1/1     Running   0   ${random.below(90)}m`,
    ),
  'terraform-plan': (random) =>
    lines(random, 15, () =>
      random.pick([
        `  + arn  = "arn:aws:iam::${random.chars(ALPHABET.digits, 12)}:role/${functionName(random)}"`,
        '  + password = (sensitive value)',
        '  + token    = (known after apply)',
        `  + id   = "sg-0${random.chars(ALPHABET.hex, 16)}"`,
      ]),
    ),
  'model-usage': (random) =>
    lines(
      random,
      20,
      () =>
        `max_tokens: ${random.below(9000)}, total_tokens=${random.below(99_999)}, tokens per second: ${random.below(99)}.${random.below(9)}`,
    ),
}

function logLine(random: Random): string {
  const message = random.pick([
    `request_id=${uuid(random)} user=${random.below(9999)} token refreshed`,
    'password changed for user ines',
    'invalid password, 3 tries left',
    `token expired at 2026-03-04T${clock(random)}Z`,
    `${functionName(random)} took ${random.below(900)} ms`,
    `trace=${random.chars(ALPHABET.hex, 32)} span=${random.chars(ALPHABET.hex, 16)} status=ok`,
    `secret "db-credentials" mounted at /run/secrets`,
    `connected to postgres://db.acme.dev:5432/shop as shop`,
    `key ${noun(random).toLowerCase()}:${random.below(99_999)} evicted from cache`,
  ])
  return `2026-03-04 ${clock(random)},${random.between(100, 999)} ${random.pick(['INFO', 'WARN', 'DEBUG'])} [worker-${random.below(9)}] ${message}`
}
