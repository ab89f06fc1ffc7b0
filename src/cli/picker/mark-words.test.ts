import { expect, test } from 'vitest'
import { markWords } from './mark-words.ts'

const mark = (text: string) => `<${text}>`

test.each([
  ['a Token, tokens', ['token'], 'a <Token>, <token>s'],
  ['refresh token', ['token', 'refresh token'], '<refresh token>'],
  ['1 + 1 (a|b)', ['(a|b)', '+'], '1 <+> 1 <(a|b)>'],
  ['nothing', ['', ' '], 'nothing'],
])('in %j marks %j', (line, words, marked) => {
  expect(markWords(line, words, mark)).toBe(marked)
})

test('colours go on behind what is marked', () => {
  expect(markWords('\u001b[2ma word here\u001b[22m word', ['word'], mark)).toBe(
    '\u001b[2ma <word>\u001b[2m here\u001b[22m <word>',
  )
})

test('nothing is touched where nothing can be seen of it', () => {
  expect(markWords('a word', ['word'], (text) => text)).toBe('a word')
})
