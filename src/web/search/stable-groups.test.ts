import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hit } from './hit-words.ts'
import { addedTo, groupsOf, keyOf } from './stable-groups.ts'

const hit = (session: string, offset: number) => ({ session, file: session, offset }) as Hit
const group = (session: string, count: number) => ({
  session,
  project: { key: 'p', path: null },
  count,
  newest: null,
})
const found = (parts: readonly (readonly [string, readonly number[]])[]) =>
  groupsOf({
    hits: parts.flatMap(([session, offsets]) => offsets.map((offset) => hit(session, offset))),
    groups: parts.map(([session, offsets]) => group(session, offsets.length)),
  })
const told = (groups: ReturnType<typeof found>) =>
  groups.map(({ session, hits }) => [session, hits.map(({ offset }) => offset)])

test('what is found since stands behind what is shown', () => {
  const first = found([
    ['b', [1]],
    ['c', [5, 6, 7]],
  ])
  const then = found([
    ['new', [9]],
    ['c', [4, 5, 6]],
    ['b', [0, 1]],
  ])
  expect(told(addedTo(first, then, 3))).toEqual([
    ['b', [1, 0]],
    ['c', [5, 6, 7]],
    ['new', [9]],
  ])
})

test('nothing that is shown ever moves', () => {
  const answer = fc.uniqueArray(
    fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.uniqueArray(fc.nat(9), { minLength: 1 })),
    {
      selector: ([session]) => session,
    },
  )
  fc.assert(
    fc.property(answer, answer, (before, after) => {
      const shown = found(before)
      const now = addedTo(shown, found(after), 3)
      shown.forEach((one, at) => {
        expect(now[at]?.session).toBe(one.session)
        expect(now[at]?.hits.slice(0, one.hits.length).map(keyOf)).toEqual(one.hits.map(keyOf))
      })
      expect(new Set(now.map(({ session }) => session)).size).toBe(now.length)
    }),
  )
})
