import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { CheckFold } from './check-log.ts'
import { duplicateKeys } from './duplicate-keys.ts'
import { readLog } from './log.ts'
import type { LogRecord } from './record.ts'

const FILE = '/s.jsonl'
const encode = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => readLog(encode(text), FILE)
const found = (text: string) => duplicateKeys(encode(text), JSON.parse(text)).toSorted()

test.each([
  ['{}', []],
  ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', []],
  ['{"a":":","b":"\\":\\""}', []],
  ['{"a":1,"a":1}', ['a']],
  ['{"a":1,"a":2,"a":3}', ['a']],
  ['{"b":[{"x":1},{"y":1,"y":2}],"b":0}', ['b', 'y']],
  ['{"a":{"x":1},"a":{"x":2}}', ['a']],
  ['{"":1,"":2}', ['']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['{"a:b":1,"a:b":2}', ['a:b']],
  ['{"é😀":1,"é😀":2}', ['é😀']],
  ['{"a\\"b":1,"a\\"b":2}', ['a"b']],
])('%s', (text, keys) => expect(found(text)).toEqual(keys))

test('knows a key again that is written with an escape', () => {
  expect(found('{"a":1,"\\u0061":2}')).toEqual(['a'])
})

test('finds none in anything that JSON.stringify wrote', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value)
      expect(duplicateKeys(encode(text), JSON.parse(text) as JsonObject)).toEqual([])
    }),
  )
})

test('P12: of a key that stands twice the last counts, and check tells', () => {
  const text = '{"type":"mode","mode":"a","x":{"mode":1,"y":2,"y":3},"mode":"b"}'
  const { records } = read(`${text}\n`)
  expect(records[0]?.raw).toMatchObject({ mode: 'b', x: { y: 3 } })
  const check = new CheckFold(FILE)
  check.record(records[0] as LogRecord, encode(text))
  const found = check.result().diagnostics
  expect(found).toMatchObject([
    { code: 'DUPLICATE_KEY', salvaged: true, place: { line: 1 } },
    { code: 'DUPLICATE_KEY', salvaged: true },
  ])
  expect(found.map((d) => /"(.+?)"/.exec(d.message)?.[1]).sort()).toEqual(['mode', 'y'])
})
