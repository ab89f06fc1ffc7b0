import { describe, expect, test } from 'vitest'
import { Type } from '../core/schema.ts'
import { readBody, readQuery } from './query.ts'

const asking = {
  name: 'thing',
  input: Type.Object({
    query: Type.Array(Type.String(), { minItems: 1 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
    from: Type.Optional(Type.Integer()),
    offset: Type.Optional(Type.Integer({ minimum: 0 })),
    share: Type.Optional(Type.Number()),
    all: Type.Optional(Type.Boolean()),
    sort: Type.Optional(Type.Choice(['time', 'relevance'])),
    name: Type.Optional(Type.String()),
  }),
}

const read = (text: string) => readQuery(asking, new URLSearchParams(text))

describe('a query', () => {
  test('gives each field in its own type, lists repeated', () => {
    expect(read('query=a&query=b&limit=20&from=-5&offset=7&share=0.5&all=true&sort=time&name=x%20y')).toEqual({
      query: ['a', 'b'],
      limit: 20,
      from: -5,
      offset: 7,
      share: 0.5,
      all: true,
      sort: 'time',
      name: 'x y',
    })
    expect(read('query=a&all=false')).toEqual({ query: ['a'], all: false })
  })

  test.each([
    ['', 'thing needs query.'],
    ['query=', 'query takes a text, several times, not "".'],
    ['query=a&x=1', 'There is no input "x".'],
    ['query=a&toString=1', 'There is no input "toString".'],
    ['query=a&limit=0', 'limit takes a whole number from 1 to 500, not "0".'],
    ['query=a&limit=501', 'limit takes a whole number from 1 to 500, not "501".'],
    ['query=a&limit=2.5', 'limit takes a whole number from 1 to 500, not "2.5".'],
    ['query=a&limit=0x10', 'limit takes a whole number from 1 to 500, not "0x10".'],
    ['query=a&limit=', 'limit takes a whole number from 1 to 500, not "".'],
    ['query=a&limit=1&limit=2', 'limit is given 2 times; it takes one value.'],
    ['query=a&offset=x', 'offset takes a whole number from 0, not "x".'],
    ['query=a&all=1', 'all takes true or false, not "1".'],
    ['query=a&sort=up', 'sort takes one of time, relevance, not "up".'],
    ['query=a&name=a%00b', 'name takes a text, not "a\0b".'],
  ])('%j is refused: %s', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})

describe('a body', () => {
  test('gives the same, without guessing types', () => {
    expect(readBody(asking, { query: ['a'], limit: 3, all: true })).toEqual({ query: ['a'], limit: 3, all: true })
    for (const body of [
      { query: 'a' },
      { query: [1] },
      { query: ['a'], limit: '3' },
      { query: ['a'], all: 'true' },
      {},
    ]) {
      expect(() => readBody(asking, body), JSON.stringify(body)).toThrow()
    }
  })
})
