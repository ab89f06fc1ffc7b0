import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readXml, textIn } from '../../../tests/xml-checker.ts'
import { headOf, isXmlName, legible, tailOf, xmlAttributes, xmlText } from './text.ts'

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        ']]>',
        '<![CDATA[',
        '<a>',
        '&',
        '&#0;',
        '"',
        '\u0000',
        '\u001b[31m',
        '\ud83d',
        '\udc00',
        '\r\n',
        '\ufffe',
        'x',
      ),
    )
    .map((parts) => parts.join('')),
)

test('any text is well-formed, and comes back as it can be read', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(textIn(readXml(`<a>${xmlText(text)}</a>`))).toBe(legible(text))
    }),
  )
})

test('any value of an attribute is well-formed, and comes back', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const read = readXml(`<a${xmlAttributes({ b: text })}/>`)
      expect(read.attributes.get('b') ?? '').toBe(legible(text))
    }),
  )
})

test('text with many signs becomes CDATA, text with few is escaped', () => {
  expect(xmlText('a < b')).toBe('a &lt; b')
  expect(xmlText('<p><b>&amp;</b></p> ]]>')).toBe('<![CDATA[<p><b>&amp;</b></p> ]]]]><![CDATA[>]]>')
})

test('colours go, other control characters and half characters are replaced', () => {
  expect(legible('\u001b[1;31mred\u001b[0m\r\n\u0000\ud83d!')).toBe('red\n\ufffd\ufffd!')
  expect(legible('plain ünïcode 漢 😀')).toBe('plain ünïcode 漢 😀')
})

test('a cut never goes through a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, length) => {
      fc.pre(!text.includes('\ufffd') && legible(text) === text)
      const at = Math.min(length, text.length)
      expect(legible(headOf(text, at))).not.toContain('\ufffd')
      expect(legible(tailOf(text, at))).not.toContain('\ufffd')
      expect(text.startsWith(headOf(text, at)) && text.endsWith(tailOf(text, at))).toBe(true)
    }),
  )
})

test('only names of XML become attributes', () => {
  expect(['file_path', '-C', 'a-b', '2x', 'xmlns', 'a b', 'x:y', ''].map(isXmlName)).toEqual([
    true,
    false,
    true,
    false,
    false,
    false,
    false,
    false,
  ])
})
