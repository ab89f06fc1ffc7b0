import { expect, test } from 'vitest'
import { Places } from './place.ts'

const LOGS = 10_000

test('to find a place for each of many logs, what is known is looked through once', () => {
  let looks = 0
  function* known(): Generator<readonly [string, { readonly path: string }]> {
    for (let at = 0; at < LOGS; at++) {
      looks += 1
      yield [`m file-${at}`, { path: `m/main/projects/p/${at}.jsonl` }]
    }
  }
  const places = new Places(known())
  const taken = Array.from({ length: LOGS }, (_, at) => places.take(`m new-${at}`, `m/main/projects/q/${at}.jsonl`))
  expect(looks).toBe(LOGS)
  expect(new Set(taken).size).toBe(LOGS)
})

test('logs that would lie at one place each have their own, and the same one again', () => {
  const places = new Places([['m a', { path: 'm/main/x.jsonl' }]])
  expect(places.take('m a', 'm/main/x.jsonl')).toBe('m/main/x.jsonl')
  const others = Array.from({ length: LOGS }, (_, at) => places.take(`m ${at}`, 'm/main/x.jsonl'))
  expect(others.slice(0, 2)).toEqual(['m/main-2/x.jsonl', 'm/main-3/x.jsonl'])
  expect(new Set([...others, 'm/main/x.jsonl']).size).toBe(LOGS + 1)
})
