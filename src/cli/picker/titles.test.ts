import { describe, expect, test } from 'vitest'
import { session } from '../../../tests/support/picker-samples.ts'
import { fold, titledBy } from './titles.ts'

const race = session(1, { title: 'Fix token refresh race' })
const tests = session(2, { title: 'Add login tests' })
const japanese = session(3, { title: '認証の修正' })
const sessions = [race, tests, japanese]

const titles = (words: string) => titledBy(words, sessions).map(({ title }) => title)

describe('a title', () => {
  test('is found by parts of its words, in any order', () => {
    expect(titles('race tok')).toEqual([race.title])
    expect(titles('修正')).toEqual([japanese.title])
  })

  test.each(['tokn refresh', 'refrehs', 'logn tests', 'logiin', 'race rfresh'])(
    'is found by %j, with one letter wrong in a word',
    (words) => expect(titles(words)).toHaveLength(1),
  )

  test('is not taken for near where another is called exactly so', () => {
    const taken = session(4, { title: 'Fix taken refresh' })
    expect(titledBy('token', [taken, race])).toEqual([race])
    expect(titledBy('tokn', [taken, race])).toEqual([race])
  })

  test.each(['tokn OR nothing', '-token', 'kzyx', '漢字', '!!!'])('is not found by %j', (words) => {
    expect(titledBy(words, [race])).toEqual([])
  })
})

test('folding takes away case and accents, and nothing else', () => {
  expect(fold('ÀÉÎõü Straße')).toBe('aeiou straße')
  expect(fold('日本 🚀 a-b')).toBe('日本 🚀 a-b')
})
