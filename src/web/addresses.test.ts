import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hrefOf, placeOf } from './addresses.ts'

test('an address is read back as it was written, whatever stands in it', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.string({ minLength: 1, unit: 'grapheme' }),
      (session, q) => {
        const url = new URL(hrefOf('/s/$session', { session }, { q }), 'http://x')
        fc.pre(session !== '.' && session !== '..')
        expect(placeOf(url.pathname, url.search)).toMatchObject({
          address: '/s/$session',
          params: { session },
          search: { q },
        })
      },
    ),
  )
})

test('the deeper address is another one', () => {
  expect(placeOf('/s/abc/tree', '?branch=1&nonsense=2')).toMatchObject({
    address: '/s/$session/tree',
    params: { session: 'abc' },
    search: { branch: '1' },
  })
})

test('what leads nowhere is no address', () => {
  for (const path of ['/nowhere', '/s/', '/s/a/b/c', '/usage/', '//']) expect(placeOf(path, '').address).toBeUndefined()
})

test('empty values are not written', () => {
  expect(hrefOf('/', {}, { q: '', project: undefined, all: 'true' })).toBe('/?all=true')
})

test('a broken percent sign stands for itself', () => {
  expect(placeOf('/s/100%', '').params).toEqual({ session: '100%' })
})
