import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { log } from '../../testing/index.ts'
import { isObject, parseJson } from '../json.ts'
import { type LogContents, readLog } from './log.ts'
import { cutLine } from './salvage.ts'

const LAST = '{"last":1}'
const encode = (text: string) => new TextEncoder().encode(text)
const joined = (...parts: readonly (string | Uint8Array)[]) => Buffer.concat(parts.map((part) => Buffer.from(part)))
const read = (input: string | Uint8Array) => readLog(typeof input === 'string' ? encode(input) : input)
const raws = ({ records }: LogContents) => records.map((record) => record.raw)
const codes = ({ diagnostics }: LogContents) => diagnostics.map((d) => d.code)

function expectAccounted({ totals }: LogContents, size: number) {
  expect(totals.recordBytes + totals.diagnosticBytes + totals.separatorBytes + totals.pendingBytes).toBe(size)
}

function cut(bytes: Uint8Array) {
  return cutLine(bytes, (from, to) => {
    const value = parseJson(new TextDecoder().decode(bytes.subarray(from, to)))
    return isObject(value) ? value : undefined
  })
}

test('cuts any line into stretches that cover it exactly', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      '\0',
      ' ',
      '\r',
      '\ufeff',
      '{"a":1}',
      '{"a":{}}',
      'é',
      '1',
    ),
    fc.string({ maxLength: 5 }),
  )
  const lines = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((all) => encode(all.join(''))),
    fc.uint8Array(),
  )
  fc.assert(
    fc.property(lines, (bytes) => {
      let at = 0
      for (const { from, to } of cut(bytes)) {
        expect(from).toBe(at)
        expect(to).toBeGreaterThan(from)
        at = to
      }
      expect(at).toBe(bytes.length)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['open objects', '{"a":'],
  ['open quotes', '{"'],
  ['closed objects in an open one', '{"a":{},'],
  ['strings with braces', '{"a":"{"'],
  ['open braces', '{'],
  ['empty objects and words', '{}x'],
  ['escaped quotes', '{"\\"'],
])('gives up on a hostile line before it costs an hour: %s', (_, piece) => {
  const bytes = encode(piece.repeat(300_000))
  expect(cut(bytes).reduce((sum, { from, to }) => sum + to - from, 0)).toBe(bytes.length)
})

test('P4: two records without a newline between them are both read', () => {
  for (const [glue, separators] of [
    ['', 1],
    [' ', 2],
    ['\r', 2],
    ['\ufeff', 4],
  ] as const) {
    const contents = read(`{"a":1}${glue}{"b":{"c":2}}\n`)
    expect(contents.records).toMatchObject([
      { raw: { a: 1 }, salvaged: true },
      { raw: { b: { c: 2 } }, salvaged: true },
    ])
    expect(codes(contents)).toEqual(['GLUED'])
    expect(contents.totals).toMatchObject({ records: 2, lines: 1, separatorBytes: separators, recordBytes: 20 })
  }
  expect(read(`${'{"a":1}'.repeat(500)}\n`).records).toHaveLength(500)
})

const WHOLE = '{"type":"user","uuid":"u2","message":{"role":"user","content":[{"type":"text","text":"a } b { c"}]}}'
const STUBS: readonly (readonly [string, string])[] = [
  ['after its brace', '{'],
  ['after a quote', '{"'],
  ['inside a key', '{"paren'],
  ['before a colon', '{"parentUuid"'],
  ['after a colon', '{"parentUuid":'],
  ['inside a string', '{"parentUuid":"0f3a'],
  ['after a comma', '{"parentUuid":"0f3a",'],
  ['after a literal', '{"parentUuid":null'],
  ['inside a literal', '{"parentUuid":nu'],
  ['inside a number', '{"durationMs":12'],
  ['after a sign', '{"durationMs":-'],
  ['after an exponent', '{"durationMs":1.5e'],
  ['after a backslash', '{"text":"C:\\'],
  ['inside a unicode escape', '{"text":"caf\\u00'],
  ['after an escaped quote', '{"text":"say \\"'],
  ['inside an array', '{"tools":["Bash","Re'],
  ['inside a nested array', '{"a":[[1,2],[3'],
  ['inside an object in an array', '{"message":{"content":[{"type":"text","text":"hel'],
  ['after an object and a comma', '{"message":{"role":"user"},'],
  ['inside a string that holds braces', '{"text":"function f() { return {"'],
  ['inside a string that holds a record', '{"text":"{\\"type\\":\\"user\\"}'],
]

describe('P5: a record that was cut off loses nothing but itself', () => {
  const torn = (input: Uint8Array, stubs: readonly number[], records: readonly string[]) => {
    const contents = read(joined(input, `\n${LAST}\n`))
    expect(raws(contents)).toEqual([...records, LAST].map((text) => JSON.parse(text)))
    expect(contents.records.slice(0, -1).every((r) => r.salvaged)).toBe(true)
    const lost = contents.diagnostics.filter((d) => !d.salvaged)
    expect(lost.map((d) => [d.code, d.place.length])).toEqual(stubs.map((length) => ['TORN', length]))
    expectAccounted(contents, input.length + LAST.length + 2)
  }

  test.each(STUBS)('cut %s', (_, stub) => torn(encode(stub + WHOLE), [stub.length], [WHOLE]))
  test('cut inside a character of two bytes', () => torn(joined('{"a":"', Uint8Array.of(0xc3), WHOLE), [7], [WHOLE]))
  test('cut inside a character of four bytes', () => {
    torn(joined('{"a":"', Uint8Array.of(0xf0, 0x9f, 0x98), WHOLE), [9], [WHOLE])
  })
  test('two whole ones after it', () => torn(encode(`{"a":"b${WHOLE}{"c":1}`), [7], [WHOLE, '{"c":1}']))
  test('a whole one before it', () => torn(encode(`${WHOLE}{"a":"b`), [7], [WHOLE]))
  test('whole ones around it', () => torn(encode(`${WHOLE}{"a":"b${WHOLE}`), [7], [WHOLE, WHOLE]))
  test('two stubs before it', () => torn(encode(`{"type":"us{"type":"assi${WHOLE}`), [24], [WHOLE]))
  test('a NUL run after it', () => {
    const contents = read(`{"a":"b\0\0\0${WHOLE}\n`)
    expect(raws(contents)).toEqual([JSON.parse(WHOLE)])
    expect(codes(contents)).toEqual(['TORN', 'NUL_RUN'])
  })

  test('cut right after an inner object', () => torn(encode(`{"message":{"role":"user"}${WHOLE}`), [26], [WHOLE]))
  test('cut right after an inner object, and nothing follows', () =>
    torn(encode('{"message":{"role":"user"}'), [26], []))

  test('cut at any byte of a real row', () => {
    const [text] = log({ attachments: false })
      .user('é "x" {')
      .assistant('Sure: `}{`.')
      .rows()
      .filter((r) => r.type === 'assistant')
    const stub = encode(JSON.stringify(text))
    for (let cut = 1; cut < stub.length; cut++) {
      torn(joined(stub.subarray(0, cut), WHOLE), [cut], [WHOLE])
    }
  })
})

describe('P6: NUL runs are counted and what stands beside them is read', () => {
  test.each([1, 2, 511, 4096, 1024 * 1024])('%i bytes', (length) => {
    const nul = '\0'.repeat(length)
    const cases: [string, number, readonly string[]][] = [
      [`${nul}{"a":1}\n`, 1, ['{"a":1}']],
      [`{"a":1}${nul}{"b":2}\n`, 1, ['{"a":1}', '{"b":2}']],
      [`{"a":1}${nul}\n`, 1, ['{"a":1}']],
      [`${nul}\n`, 1, []],
      [`${nul}{"a":1}${nul}\n`, 2, ['{"a":1}']],
    ]
    for (const [text, runs, records] of cases) {
      const contents = read(`${text}${LAST}\n`)
      expect(raws(contents)).toEqual([...records, LAST].map((r) => JSON.parse(r)))
      const lost = contents.diagnostics.filter((d) => !d.salvaged)
      expect(lost.map((d) => [d.code, d.place.length])).toEqual(Array(runs).fill(['NUL_RUN', length]))
      expectAccounted(contents, text.length + LAST.length + 1)
    }
  })
})

test('P7: two writers at once make diagnostics, and the next line is read', () => {
  const two = [WHOLE, '{"type":"assistant","message":{"content":[{"type":"text","text":"ho \\" ho"}]}}']
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 40 })), { maxLength: 20 }), (takes) => {
      const rest = [...two]
      let mixed = ''
      for (const [second, count] of takes) {
        const at = second ? 1 : 0
        mixed += (rest[at] as string).slice(0, count)
        rest[at] = (rest[at] as string).slice(count)
      }
      const text = `${mixed}${rest.join('')}\n${LAST}\n`
      const contents = read(text)
      expectAccounted(contents, text.length)
      expect(contents.records.at(-1)?.raw).toEqual({ last: 1 })
    }),
  )
})
