import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldCharacter, foldWord, nextWord, partsOf } from './words.ts'

/** Groups of parts, without the mark between them. */
function groups(text: string): readonly string[] {
  const parts = partsOf(text)
  return parts === '' ? [] : parts.split(' \ue000 ')
}

test.each<[string, string[]]>([
  ['getUserName', ['get user name']],
  ['HTTPServer2', ['http server 2']],
  ['parseJSON', ['parse json']],
  ['XMLHttpRequest', ['xml http request']],
  ['snake_caseThing', ['case thing']],
  ['src/core/rowKind.ts', ['row kind']],
  ['my-kebabCase', ['kebab case']],
  ['Base64Encode', ['base 64 encode']],
  ['sha256', ['sha 256']],
  ['getId2', ['get id2']],
  ['größeÄndern', ['große andern']],
  ['cafe\u0301Bar', ['cafe bar']],
  ['getA getB getA', ['get a', 'get b']],
  ['我喜欢编程', ['我喜 喜欢 欢编 编程 程']],
  ['好', ['好']],
  ['使用TypeScript编写', ['使用 用 typescript type script 编写 写']],
  ['カタカナ', ['カタ タカ カナ ナ']],
  ['ラーメン', ['ラー ーメ メン ン']],
  ['한국어', ['한국 국어 어']],
  ['𠮷野家', ['𠮷野 野家 家']],
  ['🤖hello', ['hello']],
])('the parts of %s', (text, expected) => {
  expect(groups(text)).toEqual(expected)
})

test.each([
  'plain words, Sentences and CONSTANTS',
  'snake_case kebab-case a/b/c.ts',
  'mp3 x86 v2 12345 2nd',
  'a3f9c2b1 4f2a91c0-11de-4b7a',
  'café Größe Ünder naïve',
  'Привет мир, Ελληνικά',
  '— … “quoted” │ ─ 😀 🤖',
  '\ud800 \udc00 \0',
  '',
])('%j has no parts', (text) => {
  expect(groups(text)).toEqual([])
})

test('long random words are not cut into humps', () => {
  expect(groups('aBcDeFgHiJkLmN')).toEqual([])
  expect(groups('aB'.repeat(200))).toEqual([])
})

test('words are letters and numbers with the accents on them', () => {
  const words = (text: string) => {
    const found: string[] = []
    for (let word = nextWord(text, 0); word; word = nextWord(text, word.to)) found.push(text.slice(word.from, word.to))
    return found
  }
  expect(words('it’s a_b  e\u0301te\u0301! 12.5 \u0301x')).toEqual([
    'it',
    's',
    'a',
    'b',
    'e\u0301te\u0301',
    '12',
    '5',
    'x',
  ])
  expect(words('a\0b')).toEqual(['a', 'b'])
  expect(words('a\udc00b 𝒳y')).toEqual(['a', 'b', '𝒳y'])
})

test('folding drops case and the accents of Latin letters', () => {
  expect(foldWord('ÀÉÎõü')).toBe('aeiou')
  expect(foldWord('Й')).toBe('й')
  expect(foldWord('ΣΊΣΥΦΟΣ')).toBe(foldWord('σίσυφος'))
})

test('a folded character is one character or none', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const folded = foldCharacter(String.fromCodePoint(code))
    if (folded.length > 1 && [...folded].length > 1) expect.fail(`U+${code.toString(16)} becomes ${folded}`)
  }
})

test('any text has parts, and none of them holds white space', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const group of groups(text)) for (const part of group.split(' ')) expect(part).not.toMatch(/^$|\s/u)
    }),
  )
})
