import { expect, test } from 'vitest'
import { askedBy, costTest, isOfRows } from './filters.ts'

test.each([
  ['refresh token', 'refresh token', []],
  ['since:7d refresh', 'refresh', ['since=7d']],
  ['refresh since:7d', 'refresh', ['since=7d']],
  ['project:api branch:main x', 'x', ['project=api', 'git-branch=main']],
  ['project:"my app" x', 'x', ['project=my app']],
  ['project:"my ap', '', ['project=my ap']],
  ['has:error has:plan', '', ['has=error', 'has=plan']],
  ['tool:Bash npm', 'npm', ['tool=Bash']],
  ['is:starred lock', 'lock', ['starred=true']],
  ['is:', '', []],
  ['is:it', 'is:it', []],
  // Neither is one of ours, and the last is still being typed.
  ['http://a.example foo:bar', 'http://a.example foo:bar', []],
  ['x since:', 'x', []],
  ['asince:7d', 'asince:7d', []],
])('%j looks for %j under %j', (text, words, filters) => {
  const asked = askedBy(text)
  expect(asked.words.trim()).toBe(words)
  expect(asked.filters.map(({ name, value }) => `${name}=${value}`)).toEqual(filters)
})

test.each([
  ['>5', [false, false, true]],
  ['>=5', [false, true, true]],
  ['5', [false, true, true]],
  ['$5', [false, true, true]],
  ['<5', [true, false, false]],
  ['<=5', [true, true, false]],
  ['=5', [false, true, false]],
])('cost:%s fits 4, 5 and 6 dollars: %j', (value, fits) => {
  expect([4, 5, 6].map((usd) => costTest(value)?.(usd))).toEqual(fits)
  expect(costTest(value)?.(null)).toBe(false)
})

test('cost: takes nothing but an amount', () => {
  for (const value of ['much', '>', '5..6', '>-1']) expect(costTest(value)).toBeUndefined()
})

test('filters of rows leave no title', () => {
  expect(askedBy('tool:Bash since:7d').filters.map(isOfRows)).toEqual([true, false])
})
