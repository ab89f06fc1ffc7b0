import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forksUnderOriginals } from './fork-order.ts'

const session = (id: string, forkedFrom: string | null = null) => ({ id, forkedFrom })
const drawn = (...sessions: readonly ReturnType<typeof session>[]) =>
  forksUnderOriginals(sessions).map(({ session: { id }, depth, first }) => `${' '.repeat(depth)}${id}<${first.id}`)

test('forks stand under their original, where the newest of them stood', () => {
  expect(drawn(session('x'), session('late', 'old'), session('y'), session('old'), session('early', 'old'))).toEqual([
    'x<x',
    'old<late',
    ' late<late',
    ' early<late',
    'y<y',
  ])
})

test('a fork of a fork stands under that', () => {
  expect(drawn(session('c', 'b'), session('d', 'a'), session('a'), session('b', 'a'))).toEqual([
    'a<c',
    ' d<c',
    ' b<c',
    '  c<c',
  ])
})

test('a fork whose original is not listed keeps its place', () => {
  expect(drawn(session('a'), session('b', 'gone'))).toEqual(['a<a', 'b<b'])
})

test('every session is listed once, whatever they say of each other', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const list = fc.array(fc.tuple(ids, fc.option(ids)).map(([id, from]) => session(id, from)))
  fc.assert(
    fc.property(list, (sessions) => {
      const listed = forksUnderOriginals(sessions).map((one) => one.session)
      expect(new Set(listed)).toEqual(new Set(sessions))
      expect(listed).toHaveLength(sessions.length)
    }),
  )
})
