import { Value } from 'typebox/value'
import { expect, expectTypeOf, test } from 'vitest'
import { type Static, Type } from './schema.ts'

const Person = Type.Object(
  {
    name: Type.String('As written'),
    age: Type.Optional(Type.Integer({ minimum: 0 })),
    role: Type.Choice(['maker', 'reader']),
    kind: Type.Enum(['a', 'b']),
    note: Type.Union([Type.String(), Type.Null()]),
    tags: Type.List(Type.String()),
    marks: Type.Array(Type.Pair(Type.Integer())),
    counts: Type.Record(Type.Number()),
    is: Type.Boolean(),
    any: Type.Unknown(),
  },
  { additionalProperties: false },
)

const ana = {
  name: 'Ana',
  role: 'maker',
  kind: 'b',
  note: null,
  tags: [],
  marks: [[1, 2]],
  counts: {},
  is: true,
  any: 1,
}

test('a schema is plain JSON Schema', () => {
  expect(
    JSON.parse(JSON.stringify(Type.Object({ a: Type.Optional(Type.Literal(1)), b: Type.Pair(Type.Null()) }))),
  ).toEqual({
    type: 'object',
    required: ['b'],
    properties: {
      a: { type: 'number', const: 1 },
      b: { type: 'array', items: { type: 'null' }, minItems: 2, maxItems: 2 },
    },
  })
})

test('values that fit and values that do not are told apart by a validator that is not ours', () => {
  expect(Value.Check(Person, ana)).toBe(true)
  expect(Value.Check(Person, { ...ana, age: 3, note: 'x', counts: { a: 1.5 } })).toBe(true)
  for (const wrong of [
    { name: 1 },
    { age: -1 },
    { age: 1.5 },
    { role: 'other' },
    { kind: 'c' },
    { note: undefined },
    { marks: [[1]] },
    { marks: [[1, 2, 3]] },
    { counts: { a: 'b' } },
    { other: 1 },
  ]) {
    expect(Value.Check(Person, { ...ana, ...wrong }), JSON.stringify(wrong)).toBe(false)
  }
})

test('of a partial object anything may be missing', () => {
  const schema = Type.Partial(Person)
  expect(schema.required).toBeUndefined()
  expect(Value.Check(schema, {})).toBe(true)
  expect(Value.Check(schema, { name: 1 })).toBe(false)
})

test('TypeScript knows the values', () => {
  expectTypeOf<Static<typeof Person>>().toEqualTypeOf<{
    name: string
    age?: number
    role: 'maker' | 'reader'
    kind: 'a' | 'b'
    note: string | null
    tags: readonly string[]
    marks: [number, number][]
    counts: Record<string, number>
    is: boolean
    any: unknown
  }>()
})
