import { describe, expect, test } from 'vitest'
import { readLog } from './log.ts'
import { isBlankLine, type LogRecord, readLine, readOversize } from './record.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const at = (length: number) => ({ file: '/s.jsonl', line: 3, offset: 100, length })
const readText = (text: string) => readLine(encode(text), at(encode(text).length))
const read = (input: string | Uint8Array) => readLog(typeof input === 'string' ? encode(input) : input)

test('keeps a line of a type it does not know', () => {
  const { value, diagnostics } = readText('{"type":"novel","x":1}')
  expect(value).toEqual([{ kind: 'unknown', type: 'novel', raw: { type: 'novel', x: 1 }, place: at(22) }])
  expect(diagnostics).toEqual([])
})

test.each([
  'user',
  'assistant',
  'system',
  'attachment',
  'progress',
  'summary',
  'file-history-delta',
  'resume-head-vouch',
])('knows the type %s', (type) => expect(readText(`{"type":"${type}"}`).value).toMatchObject([{ kind: type, type }]))

test.each(['{}', '{"type":7}', '{"type":null}', '{"type":["user"]}'])('has no type for %s', (text) => {
  expect(readText(text).value).toMatchObject([{ kind: 'unknown', type: undefined }])
})

test('the place of a record leaves out what stands around it', () => {
  const [record] = readText('\ufeff  {"a":1} \r').value
  expect(record?.place).toEqual({ file: '/s.jsonl', line: 3, offset: 105, length: 7 })
})

test.each(['', ' ', '\t\r ', '\ufeff', '\ufeff\ufeff \r'])('a line of separators is blank: %j', (text) => {
  expect(isBlankLine(encode(text))).toBe(true)
  expect(readText(text)).toEqual({ value: [], diagnostics: [] })
})

test.each(['{}', '\0', 'x', '\u00a0'])('a line of anything else is not: %j', (text) => {
  expect(isBlankLine(encode(text))).toBe(false)
})

describe('a diagnostic says what and where', () => {
  test.each([
    ['null', 'NOT_AN_OBJECT', 'null', 0, 4],
    [' [1]', 'NOT_AN_OBJECT', 'an array', 1, 3],
    ['"x"', 'NOT_AN_OBJECT', 'a string', 0, 3],
    ['word', 'BAD_JSON', '4 bytes', 0, 4],
    ['{"a":1}x', 'BAD_JSON', '1 byte ', 7, 1],
    ['{"a":', 'TORN', '5 bytes', 0, 5],
    ['\0\0', 'NUL_RUN', '2 bytes', 0, 2],
  ])('%j', (text, code, words, from, length) => {
    expect(readText(text).diagnostics).toEqual([
      { code, message: expect.stringContaining(words), salvaged: false, place: { ...at(length), offset: 100 + from } },
    ])
  })
})

test('a line too long to hold is known by its hash', () => {
  const line = { bytes: encode(''), line: 3, offset: 100, length: 999, complete: true, hash: 'abc' }
  expect(readOversize(line, at(999))).toMatchObject({
    value: [{ kind: 'oversize', type: undefined, raw: {}, hash: 'abc', place: at(999) }],
    diagnostics: [{ code: 'OVERSIZE', salvaged: true, place: at(999) }],
  })
})

test('P10: a true U+FFFD is no damage, and damaged bytes are still there', () => {
  expect(read('{"a":"\ufffd"}\n').diagnostics).toEqual([])
  const input = Buffer.from('{"a":"\xe9"}', 'latin1')
  const { place } = read(Buffer.concat([input, encode('\n')])).records[0] as LogRecord
  expect(input.subarray(place.offset, place.offset + place.length)).toEqual(input)
})

test('P11: lone surrogates are kept as they are and go out as they came', () => {
  for (const escaped of ['\\ud83d', '\\ude00', 'x\\ud83d\\ud83dy']) {
    const text = `{"a":"${escaped}"}`
    const { records, diagnostics } = read(`${text}\n`)
    expect(diagnostics).toEqual([])
    expect(records[0]?.raw.a).toBe(JSON.parse(`"${escaped}"`))
    expect(JSON.stringify(records[0]?.raw)).toBe(text)
  }
})
