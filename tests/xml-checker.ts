/** An element of a document that was found well-formed. */
export interface XmlElement {
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: (XmlElement | string)[]
}

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not occur
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Reads an XML document as strictly as the standard has it, without DTD and comments. Throws where it is not well-formed. */
export function readXml(text: string): XmlElement {
  if (FORBIDDEN.test(text)) throw new Error('a character that XML cannot hold')
  const top: XmlElement = { tag: '', attributes: new Map(), children: [] }
  const open = [top]
  const token =
    /<\?xml [^?]*\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([A-Za-z_][\w.-]*)((?:\s+[A-Za-z_][\w.-]*="[^"<]*")*)\s*(\/?)>|([^<]+)/gy
  while (token.lastIndex < text.length) {
    const at = token.lastIndex
    const found = token.exec(text)
    if (!found) throw new Error(`not well-formed: ${text.slice(at, at + 80)}`)
    const [, cdata, slash, tag, attributes = '', isEmpty, plain] = found
    const parent = open.at(-1) as XmlElement
    if (cdata !== undefined) parent.children.push(cdata)
    else if (plain !== undefined) {
      if (plain.includes(']]>')) throw new Error('"]]>" in text')
      parent.children.push(decoded(plain))
    } else if (slash) {
      if (open.length < 2 || parent.tag !== tag) throw new Error(`</${tag}> closes <${parent.tag}>`)
      open.pop()
    } else if (tag !== undefined) {
      const element: XmlElement = { tag, attributes: attributesOf(attributes), children: [] }
      parent.children.push(element)
      if (!isEmpty) open.push(element)
    }
  }
  const elements = top.children.filter((child) => typeof child !== 'string')
  if (open.length !== 1 || elements.length !== 1) throw new Error('not one element')
  return elements[0] as XmlElement
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(/([A-Za-z_][\w.-]*)="([^"]*)"/g)) {
    if (attributes.has(name)) throw new Error(`two attributes ${name}`)
    attributes.set(name, decoded(value))
  }
  return attributes
}

function decoded(text: string): string {
  return text.replace(/&(#(\d+)|\w+)?;?/g, (whole, name: string | undefined, code: string | undefined) => {
    const char = code ? String.fromCodePoint(Number(code)) : ENTITIES.get(name ?? '')
    if (char === undefined || !whole.endsWith(';')) throw new Error(`a bare ${whole}`)
    return char
  })
}

/** All text of an element, in order. */
export function textIn(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('')
}

/** All elements of a tag inside an element. */
export function elementsIn(element: XmlElement, tag: string): readonly XmlElement[] {
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return []
    return [...(child.tag === tag ? [child] : []), ...elementsIn(child, tag)]
  })
}
