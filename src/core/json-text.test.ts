import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonText, resultText } from './json-text.ts'

const HIDDEN = [
  '\u007f',
  '\u0085',
  '\u009b31m',
  '\u009d0;title\u009c',
  '\u00ad',
  '\u061c',
  '\u200b',
  '\u200e\u200f',
  '\u2028\u2029',
  '\u202egnp.exe\u202c',
  '\u2066x\u2069',
  '\ufeff',
  '\u{e0041}',
]

test('what a terminal would obey or not show is escaped, in names and in values', () => {
  for (const text of HIDDEN) {
    const json = resultText({ [text]: [text] })
    expect(json).toMatch(/^[\x20-\x7e]*$/)
    expect(JSON.parse(json)).toEqual({ [text]: [text] })
  }
  expect(resultText({ a: '\u009b\u{e0041}' })).toBe('{"a":"\\u009b\\udb40\\udc41"}')
})

test('what people read stays as it is', () => {
  const text = 'Grüße, 漢字, עברית, 🙂 and "quotes" \\ \n'
  expect(resultText({ text })).toBe(JSON.stringify({ text }))
})

test('parsed, any value is what it was', () => {
  const unit = fc.oneof(fc.string({ unit: 'binary', maxLength: 3 }), fc.constantFrom(...HIDDEN, '\\', '\\u009b', '"'))
  const text = fc.array(unit, { maxLength: 8 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text), fc.double(), fc.constant(null))), (value) => {
      expect(JSON.parse(resultText(value))).toEqual(JSON.parse(jsonText(value)))
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
      expect(resultText(value)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
    }),
  )
})
