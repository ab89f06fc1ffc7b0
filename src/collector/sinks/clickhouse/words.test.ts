import { expect, test } from 'vitest'
import { parseQuery } from '../../../core/search/query.ts'
import { partsOf } from '../../../core/search/words.ts'
import { spacedParts, spacedWords } from '../../team/spaced-words.ts'
import { LogIds } from './log-ids.ts'
import { wordsCondition } from './words.ts'

test('a text is its words between blanks, as they are compared', () => {
  expect(spacedWords('The Café: getUserName(“x”)\n42…')).toBe(' the cafe getusername x 42 ')
  expect(spacedWords('')).toBe(' ')
})

test('parts of one word do not go on in the next', () => {
  const parts = spacedParts(partsOf('getUserName thenIndexOf'))
  expect(parts).toContain(' get user name ')
  expect(parts).toContain(' then index of ')
  expect(parts).not.toContain(' name then ')
})

test('a word is asked of the index alone, in texts and in parts of words', () => {
  expect(wordsCondition(parseQuery('turnstile'))).toEqual({
    sql: '((hasAllTokens(words, {word0:Array(String)})) or (hasAllTokens(parts, {word1:Array(String)})))',
    values: { word0: ['turnstile'], word1: ['turnstile'] },
  })
})

test('words in a row are found by the index and compared with the text; of a beginning the text alone knows', () => {
  const phrase = wordsCondition(parseQuery('"both edges"'))
  expect(phrase?.sql).toContain('hasAllTokens(words, {word0:Array(String)}) and position(words, {word1:String}) > 0')
  expect(phrase?.values).toMatchObject({ word0: ['both', 'edges'], word1: ' both edges ' })
  const beginning = wordsCondition(parseQuery('turn*'))
  expect(beginning?.sql).toBe('((position(words, {word0:String}) > 0) or (position(parts, {word1:String}) > 0))')
  expect(beginning?.values).toEqual({ word0: ' turn', word1: ' turn' })
})

test('no word of a query stands in the SQL itself', () => {
  const hostile = wordsCondition(parseQuery(`alpha OR -"beta'); drop table record; --" gamma*`))
  expect(hostile?.sql).not.toMatch(/alpha|beta|drop|gamma/)
  expect(hostile?.sql).toMatch(/ or .*not /)
  expect(wordsCondition(parseQuery('… — !'))).toBeUndefined()
})

test('logs have small numbers that stay when others come, also where two fall together', () => {
  const [a, b, same] = [5, 6 + 2 ** 40, 5 + 2 ** 28]
  const numbers = (ids: readonly number[]) => {
    const known = new LogIds()
    known.take(ids)
    return ids.map((id) => known.numberOf(id))
  }
  const [first] = numbers([a])
  const all = numbers([a, b, same])
  expect(all[0]).toBe(first)
  expect(new Set(all).size).toBe(3)
  for (const number of all) expect(number).toBeLessThan(2 ** 29)
  const known = new LogIds()
  known.take([b])
  expect(known.storedOf([known.numberOf(b) as number, 99])).toEqual([b])
  expect(known.numberOf(7)).toBeUndefined()
})
