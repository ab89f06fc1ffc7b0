/**
 * Text as a reader sees it: whole escape sequences of a terminal vanish, what cannot be seen or turns the text around is
 * written out. A newline and a tab stay. Linear time.
 */
export function shownText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(SEQUENCE, '').replace(UNSEEN, written)
}

/** The same on one line. */
export function shownLine(text: string): string {
  return shownText(text).replace(/\s+/g, ' ').trim()
}

/** The start of a line, with a sign where it was cut. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text
    .slice(0, most)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`
}

// A control string ends at any control, so that no sequence can hide a line; the bounds keep matching linear.
const PAYLOAD = '[^\\u0000-\\u001f\\u007f-\\u009f]{0,4096}'
const END = '(?:\\u001b\\\\|\\u009c)'
const SEQUENCE = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]{0,256}[ -/]{0,16}[@-~]',
    `(?:\\u001b\\]|\\u009d)${PAYLOAD}(?:\\u0007|${END})`,
    `(?:\\u001b[PX^_]|[\\u0090\\u0098\\u009e\\u009f])${PAYLOAD}${END}`,
    '\\u001b[ -/]{0,16}[0-OQ-WYZ\\\\`-~]',
  ].join('|'),
  'g',
)

// A joiner and a variation selector stay: emoji and many scripts are written with them.
const UNSEEN =
  /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

function written(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  return code === 0x7f ? '␡' : `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}
