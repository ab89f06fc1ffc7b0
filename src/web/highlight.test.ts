import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { highlightLines, languageOf, loadColours } from './highlight.ts'

beforeAll(loadColours)

test('a span over several lines is one piece on each', () => {
  expect(highlightLines('/* a\nb */', 'javascript')).toEqual([
    [{ text: '/* a', className: 'hljs-comment' }],
    [{ text: 'b */', className: 'hljs-comment' }],
  ])
})

test('without a language that is known, lines are plain', () => {
  expect(highlightLines('a\n<b>', undefined)).toEqual([[{ text: 'a' }], [{ text: '<b>' }]])
  expect(highlightLines('a', 'nonsense')).toEqual([[{ text: 'a' }]])
})

test('the pieces make up the text again', () => {
  const languages = fc.constantFrom('javascript', 'python', 'xml', 'markdown', 'bash', 'json', 'yaml')
  const pieces = fc.array(
    fc.constantFrom('<a>', '&amp;', '"', "'", '\n', '{', '}', '`', '#', '/*', '*/', 'let x', '${', ' '),
  )
  fc.assert(
    fc.property(pieces, languages, (parts, language) => {
      const text = parts.join('')
      const lines = highlightLines(text, language)
      expect(lines.map((line) => line.map((token) => token.text).join('')).join('\n')).toBe(text)
    }),
  )
})

test('the name of a file tells its language', () => {
  expect(languageOf('/a/b.tsx')).toBe('typescript')
  expect(languageOf('C:\\a\\Dockerfile')).toBe('dockerfile')
  expect(languageOf('/a/unknown.zzz')).toBeUndefined()
})
