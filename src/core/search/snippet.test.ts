import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseQuery } from './query.ts'
import { makeSnippet, type Range } from './snippet.ts'
import { foldWord, nextWord } from './words.ts'

/** What is marked in the snippet of a text. */
function marked(text: string, query: string, length?: number): readonly string[] {
  const { snippet, matches } = makeSnippet(text, parseQuery(query), length === undefined ? {} : { length })
  return matches.map(([from, to]) => snippet.slice(from, to))
}

test.each<[string, string, string[]]>([
  ['The quick Fox', 'fox', ['Fox']],
  ['The quick Fox', 'fo', []],
  ['The quick foxes', 'fo*', ['foxes']],
  ['brown fox, fox brown', '"fox brown"', ['fox brown']],
  ['brown fox jumps', '"brown fox ju"*', ['brown fox jumps']],
  ['a fox and a dog', 'fox OR dog -cat', ['fox', 'dog']],
  ['a fox and a cat', 'fox -cat', ['fox']],
  ['Le Café', 'cafe', ['Café']],
  ['le cafe\u0301 noir', 'café', ['cafe\u0301']],
  ['call getUserName()', 'getusername', ['getUserName']],
  ['call getUserName()', 'user', ['User']],
  ['call getUserName()', 'userName', ['UserName']],
  ['call getUserName()', '"user name"', ['UserName']],
  ['call getUserName()', 'nam*', ['Name']],
  ['src/core/rowKind.ts', 'core/row', []],
  ['src/core/rowKind.ts', 'src/core', ['src/core']],
  ['HTTPServer2', 'server', ['Server']],
  ['我喜欢编程', '喜欢', ['喜欢']],
  ['我喜欢编程', '欢', ['欢']],
  ['我喜欢编程', '喜欢编', ['喜欢编']],
  ['我喜欢编程', '程', ['程']],
  ['使用TypeScript编写', 'typescript', ['TypeScript']],
  ['我们使用TypeScript编写', '用TypeScript编', ['用TypeScript编']],
  ['我的文档.md', '文档.md', ['文档', 'md']],
  ['𠮷野家', '𠮷', ['𠮷']],
  ['🤖hello', 'hello', ['hello']],
  ['one 🤖 two', '"one two"', ['one 🤖 two']],
  ['nothing here', '🤖', []],
])('in %j, %j marks %j', (text, query, expected) => {
  expect(marked(text, query)).toEqual(expected)
})

test('a short text is given whole', () => {
  expect(makeSnippet('a fox', parseQuery('fox'))).toEqual({ snippet: 'a fox', matches: [[2, 5]] })
  expect(makeSnippet('', parseQuery('fox'))).toEqual({ snippet: '', matches: [] })
})

test('a long text is cut at spaces around what was found', () => {
  const text = `${'before '.repeat(50)}needle${' after'.repeat(50)}`
  const { snippet, matches } = makeSnippet(text, parseQuery('needle'), { length: 40 })
  expect(snippet).toBe('…before needle after after after…')
  expect(matches).toEqual([[8, 14]])
})

test('the stretch with the most different words is shown', () => {
  const filler = ' filler'.repeat(40)
  const text = `fox fox fox${filler} dog and fox${filler}`
  const { snippet } = makeSnippet(text, parseQuery('fox dog'), { length: 30 })
  expect(snippet).toContain('dog and fox')
})

test('given ranges are shown, and those that overlap become one', () => {
  const text = `${'x'.repeat(300)}[match]${'y'.repeat(300)}`
  const { snippet, matches } = makeSnippet(
    text,
    [
      [301, 306],
      [300, 303],
    ],
    { length: 20 },
  )
  expect(matches.map(([from, to]) => snippet.slice(from, to))).toEqual(['[match'])
})

test('a match longer than the snippet is cut with it', () => {
  const { snippet, matches } = makeSnippet('a'.repeat(1000), [[100, 900]], { length: 10 })
  expect(snippet).toBe(`…${'a'.repeat(10)}…`)
  expect(matches).toEqual([[1, 11]])
})

test('ranges outside the text are left out', () => {
  expect(
    makeSnippet('abc', [
      [-5, 1],
      [2, 99],
      [7, 9],
      [1, 1],
    ]).matches,
  ).toEqual([
    [0, 1],
    [2, 3],
  ])
})

test('any word of a text is marked in its snippet, and no character is cut in two', () => {
  const text = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 30 }).map((list) => list.join(' '))
  fc.assert(
    fc.property(text, fc.integer({ min: 40, max: 80 }), fc.nat(), (text, length, choice) => {
      const words: string[] = []
      for (let word = nextWord(text, 0); word; word = nextWord(text, word.to))
        words.push(text.slice(word.from, word.to))
      const word = words[choice % Math.max(1, words.length)]
      const query = parseQuery(`"${word ?? ''}"`)
      const { snippet, matches } = makeSnippet(text, query, { length })
      expect(snippet).not.toMatch(/\p{Cs}/u)
      expect(text).toContain(snippet.replace(/^…/, '').replace(/…$/, ''))
      for (const [from, to] of matches) {
        expect(foldWord(snippet.slice(from, to))).toContain(foldWord(word ?? ''))
      }
      if (word !== undefined && /\p{L}/u.test(word)) expect(matches.length).toBeGreaterThan(0)
    }),
  )
})

test('given ranges always point at the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), fc.nat(), fc.nat(), (text, a, b) => {
      const from = a % text.length
      const range: Range = [from, Math.min(text.length, from + 1 + (b % 20))]
      const { snippet, matches } = makeSnippet(text, [range], { length: 60 })
      const shown = matches.map(([start, end]) => snippet.slice(start, end)).join('')
      // Half a character at the edge of a range may fall to the edge of the snippet, and be left out with it.
      expect(text.slice(...range)).toContain(shown)
      expect(text.slice(...range).length - shown.length).toBeLessThanOrEqual(2)
    }),
  )
})
