/** A run of base64 that holds text: what it says, and where each part of it stands. */
export interface EncodedText {
  readonly text: string
  /** The characters of base64 that hold a stretch of the decoded text. */
  readonly origin: (from: number, to: number) => { readonly from: number; readonly to: number }
}

/** Shorter than this a secret does not fit. */
const SHORTEST = 20
/** Longer ones are files and pictures. */
const LONGEST = 64 * 1024
/** Tools wrap base64 at 64 or 76 characters. */
const WRAPPED = 60

/** The runs of base64 in a text that decode to text. Looks at every 20th character only, until one could be in a run. */
export function encodedTexts(text: string): readonly EncodedText[] {
  let found: EncodedText[] | undefined
  for (let start = 0; start + SHORTEST <= text.length; ) {
    let at = start + SHORTEST - 1
    while (at >= start && isBase64(text.charCodeAt(at))) at--
    if (at >= start) {
      start = at + 1
      continue
    }
    const end = runEnd(text, start)
    const decoded = end - start <= LONGEST ? decode(text, start, end) : undefined
    if (decoded) {
      found ??= []
      found.push(decoded)
    }
    start = end
  }
  return found ?? NONE
}

const NONE: readonly EncodedText[] = []

function decode(text: string, start: number, end: number): EncodedText | undefined {
  if (!beginsLikeText(text, start)) return undefined
  const run = text.slice(start, end)
  // Line breaks inside the run are no part of the count: every four characters are three bytes.
  const places = /\s/.test(run) ? [...run].flatMap((char, at) => (/\s/.test(char) ? [] : [start + at])) : undefined
  const decoded = Buffer.from(run, 'base64').toString('latin1')
  const last = places ? places.length : end - start
  const placeAt = (index: number) => places?.[index] ?? start + index
  return {
    text: decoded,
    origin: (from, to) => ({
      from: placeAt(Math.floor(from / 3) * 4),
      to: placeAt(Math.min(last, Math.ceil(to / 3) * 4) - 1) + 1,
    }),
  }
}

/** The end of a run, over line breaks where its lines are as long as tools make them. */
function runEnd(text: string, start: number): number {
  let lineStart = start
  for (let at = start; ; ) {
    while (isBase64(text.charCodeAt(at))) at++
    const next = text[at] === '\r' && text[at + 1] === '\n' ? at + 2 : at + 1
    const isWrapped = text[next - 1] === '\n' && at - lineStart >= WRAPPED && isBase64(text.charCodeAt(next))
    if (!isWrapped) return at
    lineStart = next
    at = next
  }
}

/** Whether the first twelve bytes are characters that one can read: of other data, hardly any begin so. */
function beginsLikeText(text: string, start: number): boolean {
  for (let at = start; at < start + 16; at += 4) {
    const bits =
      (valueAt(text, at) << 18) | (valueAt(text, at + 1) << 12) | (valueAt(text, at + 2) << 6) | valueAt(text, at + 3)
    if (!isReadable(bits >> 16) || !isReadable((bits >> 8) & 255) || !isReadable(bits & 255)) return false
  }
  return true
}

function isReadable(byte: number): boolean {
  return (byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13
}

function valueAt(text: string, at: number): number {
  return VALUES[text.charCodeAt(at)] as number
}

const VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const index = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(String.fromCharCode(code))
  return index !== -1 ? index : code === 45 ? 62 : 63
})

function isBase64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) ||
    code === 43 ||
    code === 45 ||
    code === 95
  )
}
