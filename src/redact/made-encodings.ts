import type { JsonValue } from '../core/json.ts'
import type { MadeSecret, Random } from './made-secrets.ts'

/** A way in which a secret comes to stand in a log, and how to tell whether any of it is left. */
export interface Encoding {
  readonly name: string
  readonly encode: (made: MadeSecret, random: Random) => JsonValue
  /** What a reader who knows the encoding gets back of an output. */
  readonly decode: (output: string) => string
}

const same = (text: string) => text
const withoutEscapes = (text: string) => text.replaceAll(/\\+(["/n])/g, (_, char) => (char === 'n' ? '\n' : char))

/** All encodings that are measured. */
export const encodings: readonly Encoding[] = [
  { name: 'plain', encode: ({ text }) => text, decode: same },
  {
    name: 'JSON',
    encode: ({ text }) => JSON.stringify({ stdout: `first line\n${text}\nlast "line"` }),
    decode: withoutEscapes,
  },
  {
    name: 'JSON in JSON',
    encode: ({ text }) => JSON.stringify({ body: JSON.stringify({ stdout: `first line\n${text}` }) }),
    decode: withoutEscapes,
  },
  {
    name: 'base64',
    encode: ({ text }) => `payload: ${Buffer.from(`# settings\n${text}\n`).toString('base64')}`,
    decode: (output) =>
      (output.match(/[A-Za-z0-9+/=]{8,}/g) ?? [])
        .flatMap((run) => [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), 'base64').toString('latin1')))
        .join('\n'),
  },
  {
    name: 'URL',
    encode: ({ text }) => `https://app.test/cb?q=${encodeURIComponent(text)}`,
    decode: (output) =>
      output.replaceAll(/%([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
  },
  {
    name: 'coloured',
    encode({ text, secret }, random) {
      const at = text.indexOf(secret) + 1 + Math.floor(random() * (secret.length - 2))
      return `\u001b[32m${text.slice(0, at)}\u001b[1;31m${text.slice(at)}\u001b[0m`
    },
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out
    decode: (output) => output.replaceAll(/\u001b\[[\d;]*m/g, ''),
  },
  {
    name: 'wrapped',
    encode({ text, secret }, random) {
      const at = text.indexOf(secret) + 1 + Math.floor(random() * (Math.min(80, secret.length) - 2))
      const lead = 'word '.repeat(20).slice(0, Math.max(0, 80 - at))
      return `${lead}${text.slice(0, at)}\n${text.slice(at)}`
    },
    decode: (output) => output.replaceAll('\n', ''),
  },
  {
    name: 'diff',
    encode: ({ text }) => `@@ -1,2 +1,2 @@\n const a = 1\n${`-old\n${text}`.replaceAll('\n', '\n+')}`,
    decode: (output) => output.replaceAll('\n+', '\n'),
  },
  { name: 'field name', encode: ({ text }) => ({ env: { [text]: true } }), decode: withoutEscapes },
  {
    name: 'two blocks',
    encode({ text, secret }, random) {
      const at = text.indexOf(secret) + 1 + Math.floor(random() * (Math.min(300, secret.length) - 2))
      return [
        { type: 'text', text: text.slice(0, at) },
        { type: 'text', text: text.slice(at) },
      ]
    },
    decode: (output) => output.replaceAll('"},{"type":"text","text":"', ''),
  },
]

/** The longest part of the secret that can still be read in an output. */
export function longestLeft(output: string, { secret }: MadeSecret, { decode }: Encoding): number {
  // The name in a placeholder is no part of the secret, however much it looks like it.
  const rest = output.replaceAll(/\[REDACTED:[a-z0-9-]+:[0-9a-f]{4}\]/g, '\u0000')
  const read = `${rest}\n${decode(rest)}`
  let longest = 0
  for (let from = 0; from < secret.length; from++) {
    while (from + longest < secret.length && read.includes(secret.slice(from, from + longest + 1))) longest++
  }
  return longest
}
