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
  const thought = text('thinking', 800)
  expect(shorten([thought, old, fresh], 2800, 2000)).toBe(1960)
  expect([old.limit, fresh.limit, thought.limit]).toEqual([160, 1000, 800])
})

test('inputs come after results, thinking after inputs, what was said last', () => {
  const texts = (['said', 'thinking', 'input', 'result'] as const).map((worth) => text(worth, 400))
  shorten(texts, 1600, 800)
  expect(texts.map(({ limit }) => limit)).toEqual([400, 400, 0, 0])
  shorten(texts, 800, 400)
  expect(texts.map(({ limit }) => limit)).toEqual([400, 0, 0, 0])
})

test('a budget that has room keeps texts whole; the oldest results give way first', () => {
  const [old, fresh, input] = [text('result', 50_000), text('result', 50_000), text('input', 50_000)]
  expect(shorten([old, fresh, input], 150_000, 145_000)).toBe(140_000)
  expect([old.limit, fresh.limit, input.limit]).toEqual([40_000, 50_000, 50_000])
  shorten([old, fresh, input], 140_000, 60_000)
  // Nothing is cut to a glance while something else is still long.
  expect([old.limit, fresh.limit, input.limit]).toEqual([12_000, 12_000, 12_000])
})

test('what must be kept is never touched, and it is said when that is too much', () => {
  const texts = [text('kept', 500), text('said', 500), text('result', 500)]
  expect(shorten(texts, 1500, 100)).toBe(500)
  expect(texts[0]?.limit).toBe(500)
})
