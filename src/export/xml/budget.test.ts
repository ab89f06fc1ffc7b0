import { expect, test } from 'vitest'
import { estimateTokens, type Shortenable, shorten, type Worth } from './budget.ts'

const text = (worth: Worth, limit: number): Shortenable => ({ worth, limit, bytesAt: (at) => at })

test('a token is four bytes of UTF-8', () => {
  expect(estimateTokens('')).toBe(0)
  expect(estimateTokens('abcde')).toBe(2)
  expect(estimateTokens('漢字漢字')).toBe(3)
  expect(estimateTokens(4000)).toBe(1000)
})

test('old results are shortened before anything else, and no more than is needed', () => {
  const [old, fresh] = [text('result', 1000), text('result', 1000)]
  const thought = text('thinking', 1000)
  expect(shorten([thought, old, fresh], 3000, 2200)).toBe(2160)
  expect([old.limit, fresh.limit, thought.limit]).toEqual([160, 1000, 1000])
})

test('inputs come after results, thinking after inputs, what was said last', () => {
  const texts = (['said', 'thinking', 'input', 'result'] as const).map((worth) => text(worth, 1000))
  shorten(texts, 4000, 2000)
  expect(texts.map(({ limit }) => limit)).toEqual([1000, 1000, 0, 0])
  shorten(texts, 2000, 1000)
  expect(texts.map(({ limit }) => limit)).toEqual([1000, 0, 0, 0])
})

test('what must be kept is never touched, and it is said when that is too much', () => {
  const texts = [text('kept', 500), text('said', 500), text('result', 500)]
  expect(shorten(texts, 1500, 100)).toBe(500)
  expect(texts[0]?.limit).toBe(500)
})
