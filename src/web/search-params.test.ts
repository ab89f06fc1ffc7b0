import { expect, test } from 'vitest'
import { parseSearch, pick, stringifySearch } from './search-params.ts'

test('what stands in an address stays text', () => {
  expect(parseSearch('?q=123&x=%7B%22a%22%3A1%7D&y=true')).toEqual({ q: '123', x: '{"a":1}', y: 'true' })
})

test('what is empty is left out', () => {
  expect(stringifySearch({ q: 'a b', project: undefined, since: '', n: 1 })).toBe('?q=a+b')
  expect(stringifySearch({})).toBe('')
})

test('unknown names are dropped', () => {
  expect(pick('q')({ q: 'a', __proto__: 'b', other: 'c' })).toEqual({ q: 'a' })
  expect(pick('q')({ q: '' })).toEqual({})
})
