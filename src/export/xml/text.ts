/** Text as XML content: escaped, or as CDATA where that is shorter. Whatever comes in, what comes out is well-formed. */
export function xmlText(text: string): string {
  const clean = legible(text)
  const escaped = clean.replace(/[&<]|\]\]>/g, (found) => ESCAPES.get(found) as string)
  if (escaped.length - clean.length <= CDATA_LENGTH) return escaped
  return `<![CDATA[${clean.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`
}

const CDATA_LENGTH = '<![CDATA[]]>'.length

/** Attributes of an element, each with a space before it; those without a value are left out. */
export function xmlAttributes(attributes: Attributes): string {
  let text = ''
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === '') continue
    text += ` ${name}="${legible(String(value)).replace(/[&<"\t\n]/g, (found) => ESCAPES.get(found) as string)}"`
  }
  return text
}

/** The attributes of an element, by names that are names in XML. */
export interface Attributes {
  readonly [name: string]: string | number | null | undefined
}

const ESCAPES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['"', '&quot;'],
  ['\t', '&#9;'],
  ['\n', '&#10;'],
  [']]>', ']]&gt;'],
])

/** Whether a name from a log can be the name of an attribute. */
export function isXmlName(name: string): boolean {
  return /^[A-Za-z_][\w.-]{0,60}$/.test(name) && !/^xml/i.test(name)
}

/**
 * A text without what XML cannot hold: colours of terminals go, line ends become `\n`, other control characters and halves of
 * characters become U+FFFD.
 */
export function legible(text: string): string {
  if (!NOT_PLAIN.test(text)) return text
  return text.replace(COLOURS, '').replace(/\r\n?/g, '\n').replace(NOT_XML, '\ufffd')
}

const NOT_PLAIN = /[^\t\n\x20-\x7e\u00a0-\ud7ff]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const COLOURS = /\x1b\[[0-9;]*[A-Za-z]/g
const NOT_XML =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** The first characters of a text as a string of its own, without half a character at the end. */
export function headOf(text: string, length: number): string {
  return owned(text.slice(0, /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length))
}

/** The same from its end. */
export function tailOf(text: string, length: number): string {
  const from = text.length - length
  return owned(text.slice(/[\udc00-\udfff]/.test(text[from] ?? '') ? from + 1 : from))
}

/** A slice would hold on to all of a huge result for the sake of its first words. */
function owned(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
