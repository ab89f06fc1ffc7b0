import type { Kind, Sample } from './kind.ts'
import type { Random } from './random.ts'
import { SHORTEST_PIECE } from './readable.ts'

/** A sample as it is shown to the mask, and the strings none of which may be read in what comes back. */
export interface Shown {
  readonly text: string
  readonly pieces: readonly string[]
}

/** A way to write a sample; gives nothing where it would be the plain text again. */
export type Form = (sample: Sample, kind: Kind, random: Random) => Shown | undefined

/** Every form, by name. */
export const FORMS: Readonly<Record<string, Form>> = {
  plain: (sample) => ({ text: sample.text, pieces: linesOf(sample) }),
  json: (sample) => ({ text: JSON.stringify({ message: sample.text }), pieces: both(sample, inJson) }),
  'json-in-json': (sample) => ({
    text: JSON.stringify({ line: JSON.stringify({ message: sample.text }) }),
    pieces: both(sample, (line) => inJson(inJson(line))),
  }),
  base64: (sample) => ({
    text: `echo '${Buffer.from(sample.text).toString('base64')}' | base64 -d`,
    pieces: [...linesOf(sample), inBase64(sample)],
  }),
  url: (sample) => ({
    text: `https://logs.acme.dev/report?level=info&line=${encodeURIComponent(sample.text)}`,
    pieces: both(sample, encodeURIComponent),
  }),
  html: (sample) => ({ text: `<pre><code>${inHtml(sample.text)}</code></pre>`, pieces: both(sample, inHtml) }),
  diff: (sample, _, random) => ({ text: diffOf(sample, random.pick(['+', '-'])), pieces: linesOf(sample) }),
  env: (sample, _, random) => envOf(sample, random),
  'wrap-20': wrapped(20),
  'wrap-32': wrapped(32),
  'wrap-40': wrapped(40),
  'wrap-60': wrapped(60),
  'wrap-80': wrapped(80),
}

function linesOf({ secret }: Sample): readonly string[] {
  return secret.split('\n')
}

/** The lines of the secret as they are, for what is decoded, and as the form writes them. */
function both(sample: Sample, encode: (line: string) => string): readonly string[] {
  const lines = linesOf(sample)
  return [...new Set([...lines, ...lines.map(encode)])]
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function inHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** The characters of the encoded text that say nothing but the secret. */
function inBase64({ text, start, secret }: Sample): string {
  const encoded = Buffer.from(text).toString('base64')
  return encoded.slice(Math.ceil((start * 4) / 3), Math.floor(((start + secret.length) * 4) / 3))
}

function diffOf({ text }: Sample, sign: string): string {
  const lines = text.split('\n').map((line) => sign + line)
  return ['--- a/settings', '+++ b/settings', '@@ -3,7 +3,7 @@', ' # see the handbook', ...lines, ' # end'].join('\n')
}

/** `export NAME="…"`: under its own name where the text is an assignment, else under one that says nothing. */
function envOf(sample: Sample, random: Random): Shown {
  const [, ownName, value] = /^([A-Z][A-Z0-9_]*)=(?!["'])(\S*)$/.exec(sample.text) ?? []
  const name = ownName ?? random.pick(['LINE', 'VALUE', 'INPUT', 'MESSAGE'])
  return { text: `export ${name}="${inShell(value ?? sample.text)}"`, pieces: both(sample, inShell) }
}

function inShell(text: string): string {
  return text.replace(/[\\"$`]/g, '\\$&')
}

/** Breaks every line at so many columns, as a terminal does; each line's share of the secret is a piece. */
function wrapped(columns: number): Form {
  return (sample, kind, random) => {
    const shown = wrap(sample, columns)
    if (shown.isSecretBroken) return shown
    // Nothing may stand before such a text, and unbroken it would be the plain form again.
    if (kind.context === 'line' || sample.text.includes('\n')) return undefined
    return wrap(moved(sample, columns, random), columns)
  }
}

/** Writes words before the text, so many that the edge falls inside the secret and leaves a piece worth reading. */
function moved(sample: Sample, columns: number, random: Random): Sample {
  const { length } = sample.secret
  const broken = random.between(1, length - 1)
  const at = Math.max(broken, length - broken) < SHORTEST_PIECE ? length - SHORTEST_PIECE : broken
  const missing = (columns - ((sample.start + at) % columns)) % columns
  const words = `${random.pick(LEADS)} `.repeat(9).slice(0, missing === 0 ? 0 : missing - 1)
  const lead = missing === 0 ? '' : `${words} `
  return { text: lead + sample.text, secret: sample.secret, start: lead.length + sample.start }
}

const LEADS = ['then we ran it once more with', 'the second host now starts with', 'on the old machine this was still']

function wrap({ text, start, secret }: Sample, columns: number): Shown & { readonly isSecretBroken: boolean } {
  const rows: string[] = []
  const pieces: string[] = []
  let at = 0
  for (const line of text.split('\n')) {
    for (let column = 0; column === 0 || column < line.length; column += columns) {
      const row = line.slice(column, column + columns)
      const from = Math.max(start - at - column, 0)
      const to = Math.min(start + secret.length - at - column, row.length)
      if (to > from) pieces.push(row.slice(from, to))
      rows.push(row)
    }
    at += line.length + 1
  }
  const isSecretBroken =
    pieces.length > secret.split('\n').length && pieces.some((piece) => piece.length >= SHORTEST_PIECE)
  return { text: rows.join('\n'), pieces, isSecretBroken }
}
