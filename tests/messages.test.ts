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
  /called or starts with/,
  /\bspeaks of\b/,
  /\bstands? (?:twice|on one line|at)\b/,
  /\blies in no\b/,
  /\bnot all there\b/,
  /names no (?:lines|point|turns)/,
  /(?<!\b[Tt]here) is no (?:bundle|file|folder|limit|record|regular|text)\b/,
  /\bthat is no (?:JSON|record|UTF-8)\b/,
  /; else /,
  /by halves/,
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
