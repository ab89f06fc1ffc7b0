import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Key, readKeys } from './keys.ts'

const ESC = '\u001b'

function kinds(input: string, isAll = false): readonly string[] {
  return readKeys(input, { isAll }).keys.map((key) => (key.kind === 'text' ? key.text : `<${key.kind}>`))
}

test('letters of any script are text, several at once are one', () => {
  expect(kinds('a')).toEqual(['a'])
  expect(kinds('naïve 日本 🚀?')).toEqual(['naïve 日本 🚀?'])
})

test.each([
  ['\r', '<enter>'],
  ['\t', '<tab>'],
  ['\u007f', '<backspace>'],
  ['\b', '<backspace>'],
  ['\u0003', '<quit>'],
  ['\u0001', '<line-start>'],
  ['\u0002', '<web>'],
  ['\u0004', '<end-of-input>'],
  ['\u0005', '<line-end>'],
  ['\u0006', '<files>'],
  ['\u000b', '<cut-right>'],
  ['\u0012', '<resume>'],
  ['\u0013', '<keep>'],
  ['\u0015', '<cut-left>'],
  ['\u0017', '<cut-word>'],
  ['\u0018', '<export>'],
  ['\u0019', '<copy>'],
  [`${ESC}b`, '<word-left>'],
  [`${ESC}f`, '<word-right>'],
  [`${ESC}d`, '<cut-word-right>'],
  [`${ESC}y`, '<paste>'],
  [`${ESC}\u007f`, '<cut-word-left>'],
  [`${ESC}[C`, '<right>'],
  [`${ESC}OD`, '<left>'],
  [`${ESC}[1;5C`, '<word-right>'],
  [`${ESC}[1;3D`, '<word-left>'],
  [`${ESC}[1;2D`, '<left>'],
  [`${ESC}[3~`, '<delete>'],
  [`${ESC}[3;5~`, '<cut-word-right>'],
  [`${ESC}[1;5H`, '<first>'],
  [`${ESC}>`, '<last>'],
  [`${ESC}OP`, '<help>'],
  [`${ESC}[11~`, '<help>'],
  [`${ESC}[A`, '<up>'],
  [`${ESC}OB`, '<down>'],
  [`${ESC}[1;5A`, '<up>'],
  [`${ESC}[H`, '<home>'],
  [`${ESC}[1~`, '<home>'],
  [`${ESC}OF`, '<end>'],
  [`${ESC}[4~`, '<end>'],
  [`${ESC}[5~`, '<page-up>'],
  [`${ESC}[6~`, '<page-down>'],
  ['\u0014', '<star>'],
  ['\u000f', '<rename>'],
  [`${ESC}OQ`, '<rename>'],
  [`${ESC}[12~`, '<rename>'],
])('%j is %s', (input, kind) => {
  expect(readKeys(input)).toEqual({ keys: [{ kind: kind.slice(1, -1) }], rest: '' })
})

test('keys that mean nothing here are passed over', () => {
  expect(kinds(`a${ESC}[2~b${ESC}[200;5Xc\u0007${ESC}OSd`)).toEqual(['a', 'b', 'c', 'd'])
  expect(kinds(`${ESC}xy`)).toEqual(['y'])
})

describe('an escape', () => {
  test('waits for what may follow', () => {
    expect(readKeys(`a${ESC}`)).toEqual({ keys: [{ kind: 'text', text: 'a' }], rest: ESC })
    expect(readKeys(`${ESC}[1;`)).toEqual({ keys: [], rest: `${ESC}[1;` })
  })

  test('is a key of its own when nothing follows', () => {
    expect(kinds(ESC, true)).toEqual(['<escape>'])
    expect(kinds(`${ESC}${ESC}`, true)).toEqual(['<escape>', '<escape>'])
  })

  test('before a key of its own is both', () => {
    expect(kinds(`${ESC}${ESC}[A`)).toEqual(['<escape>', '<up>'])
  })
})

describe('a paste', () => {
  test('is text on one line, whatever it holds', () => {
    expect(kinds(`${ESC}[200~two\r\n  lines\u0003${ESC}[31m${ESC}[201~x`)).toEqual(['two lines[31m', 'x'])
  })

  test('waits for its end', () => {
    const { keys, rest } = readKeys(`${ESC}[200~first\r`, { isAll: true })
    expect(keys).toEqual([])
    expect(readKeys(`${rest}second${ESC}[201~`).keys).toEqual([{ kind: 'text', text: 'first second' }])
  })
})

test('reading in two pieces gives what reading at once gives', () => {
  const piece = fc.constantFrom(
    'a',
    '日',
    '\r',
    ESC,
    `${ESC}[A`,
    `${ESC}[5~`,
    `${ESC}[200~p\rq${ESC}[201~`,
    '[',
    'O',
    '1',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(), (pieces, cut) => {
      const input = pieces.join('')
      const at = input.length === 0 ? 0 : cut % (input.length + 1)
      const first = readKeys(input.slice(0, at))
      const second = readKeys(first.rest + input.slice(at))
      const whole = readKeys(input)
      expect(second.rest).toBe(whole.rest)
      expect(joined([...first.keys, ...second.keys])).toEqual(joined(whole.keys))
    }),
  )
})

/** Text may come in pieces. */
function joined(keys: readonly Key[]): readonly string[] {
  return keys
    .map((key) => (key.kind === 'text' ? key.text : `\n${key.kind}\n`))
    .join('')
    .split('\n')
}
