import { expect, test } from 'vitest'
import { messagesIn } from '../scripts/messages/collect.mjs'

const messages = messagesIn('src')

/** Sentences that people stumbled over, and forms that lead to more of them. */
const ODD: readonly RegExp[] = [
  /Nobody has said where the records shall go/,
  /It stands nowhere in this conversation/,
  /The client remembers nothing here/,
  /think twice/,
  /needs a action/,
  /The sessions themselves$/i,
  /\bshall\b/,
  /without words/,
  /All is well/,
]

test('the program says what it can say in plain English', () => {
  const odd = messages.filter(({ text }) => ODD.some((form) => form.test(text)))
  expect(odd.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([])
})

test('every sentence is found: of failures, of help, of formatters, of pages', () => {
  const said = new Set(messages.map(({ text }) => text))
  for (const sentence of [
    'Find words in every session.',
    'Which sessions?',
    'There is no hook input on stdin.',
    '"…" is not a time.',
    'No problems found.',
  ]) {
    expect(said).toContain(sentence)
  }
  expect(messages.length).toBeGreaterThan(1_000)
})
