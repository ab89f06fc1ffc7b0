/**
 * Text that a terminal only shows and never obeys: the one function through which all data passes on its way there.
 * Whole escape sequences vanish, a newline and a tab stay, whatever else cannot be seen is made visible. Linear time.
 */
export function plain(text: string): string {
  return HARMLESS.test(text) ? text : text.replace(SEQUENCE, '').replace(UNSEEN, visible)
}

/** Most text, whatever its script: what is below takes as long to compile as a small command to run. */
const HARMLESS =
  /^[\n\t -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u061b\u061d-\u115e\u1161-\u17b3\u17b6-\u180a\u1810-\u200a\u2010-\u2027\u202f-\u205f\u2070-\u3163\u3165-\ud7ff\ue000-\ufdff\ufe10-\ufefe\uff00-\uff9f\uffa1-\uffef]*$/

/** The same on one line: every run of white space becomes one space. */
export function oneLine(text: string): string {
  return text.length < LONG && ONE_LINE.test(text) ? text : plain(text).replace(/\s+/g, ' ').trim()
}

/** Most lines: words with one space between them. A pattern that counts words needs memory for each, so none is asked of a long text. */
const ONE_LINE = /^(?:[!-~]+(?: [!-~]+)*)?$/
const LONG = 1000

const ESC = '\u001b'
// What a control string may hold. It ends at any control, so that no sequence can hide a line of text; the bounds
// keep matching linear, and a sequence longer than any terminal needs is shown rather than hidden.
const PAYLOAD = '[^\\u0000-\\u001f\\u007f-\\u009f]{0,4096}'
const ST = `(?:${ESC}\\\\|\u009c)`

/** Complete escape sequences in their 7-bit and 8-bit forms, and the carriage return of a line's end. */
const SEQUENCE = new RegExp(
  [
    `(?:${ESC}\\[|\u009b)[0-?]{0,256}[ -/]{0,16}[@-~]`, // CSI: colours, cursor, queries
    `(?:${ESC}\\]|\u009d)${PAYLOAD}(?:\u0007|${ST})`, // OSC: title, clipboard, links
    `(?:${ESC}[PX^_]|[\u0090\u0098\u009e\u009f])${PAYLOAD}${ST}`, // DCS, SOS, PM, APC
    `${ESC}[ -/]{0,16}[0-OQ-WYZ\\\\\`-~]`, // the short ones: reset, charsets, save and restore
    '\\r(?=\\n)',
  ].join('|'),
  'g',
)

// A variation selector and a joiner stay where writing needs them: one after a symbol or an ideograph, one in an emoji.
const WANTED = [
  '(?<=[\\p{Emoji}\\p{S}])[\\ufe0e\\ufe0f]',
  '(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
  '(?<=\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]?)\\u200d(?=\\p{Extended_Pictographic})',
].join('|')

/** One character that a terminal would obey or not show: controls, bidi, zero width, tags, separators, lone surrogates. */
const UNSEEN = new RegExp(
  `(?![\\n\\t]|${WANTED})[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]`,
  'gu',
)

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '␡'
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  return `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}
