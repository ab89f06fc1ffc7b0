import { expect, test } from 'vitest'
import { windowOf } from './window.ts'

test.each([
  ['claude-opus-4-8', 0, 200_000],
  ['claude-opus-4-8', 200_000, 200_000],
  ['claude-opus-4-8', 200_001, 1_000_000],
  ['claude-opus-4-8[1m]', 12, 1_000_000],
  [null, 12, 200_000],
])('%s with %d tokens in it', (model, filled, size) => expect(windowOf(model, filled)).toBe(size))
