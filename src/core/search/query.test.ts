import { DatabaseSync } from '@photostructure/sqlite'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { parseQuery, toFts, wantedTerms } from './query.ts'
import { nextWord, partsIn, partsOf } from './words.ts'

const db = new DatabaseSync(':memory:')
db.exec(`CREATE VIRTUAL TABLE docs USING fts5(
  text, parts, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2")`)
const insert = db.prepare('INSERT OR REPLACE INTO docs(rowid, text, parts) VALUES (?, ?, ?)')
const select = db.prepare('SELECT rowid FROM docs WHERE docs MATCH ?')
afterAll(() => db.close())

/** The driver ends a text at its first NUL, so none may reach it. */
function index(text: string): void {
  insert.run(1, text.replaceAll('\0', '\n'), partsOf(text))
}

function finds(query: string, text: string): boolean {
  index(text)
  const match = toFts(parseQuery(query))
  return match !== undefined && select.all(match).length === 1
}

const HOSTILE = [
  '"unterminated',
  '"',
  '""',
  '"""',
  '"a"b"',
  'foo AND',
  'AND',
  'OR',
  'OR OR',
  'AND',
  'NOT',
  'a AND OR b',
  'NOT NOT a',
  '(NOT)',
  'a AND (NOT',
  'a OR',
  'OR a',
  'a OR OR b',
  'NOT',
  'NOT a',
  'a NOT',
  'NEAR(',
  'NEAR(a b, 2)',
  'NEAR/2',
  '*',
  '**',
  'a*',
  'a**',
  '*a',
  '"a"*',
  '"a" *',
  'a:b',
  'text:a',
  'parts : a',
  '{text} : a',
  '{}',
  '{a',
  '-',
  '--',
  '-x',
  '- x',
  '--x',
  '-"',
  '-(',
  '-()',
  '-(a',
  '-*',
  '(',
  ')',
  '()',
  ')(',
  '((a)',
  '(a))',
  '(OR)',
  '(a OR)',
  "'",
  "'; DROP TABLE docs;--",
  '^',
  '^a',
  'a ^b',
  'a + b',
  '+',
  '\\',
  '\\"',
  'a\\',
  '%',
  '_',
  '?',
  '$1',
  '@x',
  'rank',
  'docs',
  '🤖',
  '🤖 a',
  'a🤖',
  '😀',
  '\0',
  'a\0b',
  '"\0',
  '\ud800',
  'a\udc00',
  '\u202e',
  '\ufeff',
  '￿',
  '好',
  '-好',
  '好*',
  '好a好',
  '\t\n\r',
  '',
  ' ',
  'a\u0301',
  '\u0301',
  'é"',
  '١٢',
  'İı',
  '(a OR -b)',
  '-a -b',
  '-(-a)',
  'a -a',
  'x'.repeat(40_000),
  '('.repeat(5_000),
  '(a '.repeat(5_000),
  '-('.repeat(5_000),
  'a OR '.repeat(5_000),
  'aB '.repeat(5_000),
  '"a '.repeat(5_000),
] as const

test.each(HOSTILE.map((query) => [query.slice(0, 40), query]))('%j gives no SQL error', (_, query) => {
  const match = toFts(parseQuery(query))
  if (match !== undefined) expect(() => select.all(match)).not.toThrow()
})

test('10 MB of parentheses are read, and said to be cut', () => {
  const query = parseQuery('('.repeat(10_000_000))
  expect(query).toEqual({ root: undefined, isCut: true })
})

test('no text whatever gives an SQL error', () => {
  const pieces = fc.constantFrom(
    ...[
      '"',
      '(',
      ')',
      '-',
      '*',
      ' ',
      'OR',
      'AND',
      'NOT',
      'NEAR',
      ':',
      '^',
      '{',
      '}',
      '+',
      'a',
      'aB',
      '好',
      '🤖',
      '\0',
      "'",
    ],
  )
  const query = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 40 }).map((list) => list.join('')),
  )
  fc.assert(
    fc.property(query, (text) => {
      const match = toFts(parseQuery(text))
      if (match !== undefined) select.all(match)
    }),
    { numRuns: 500 },
  )
})

const TEXT = 'The quick brown fox jumps over the lazy dog in src/core/log/row-kind.ts'

test.each<[string, string, boolean]>([
  // words
  ['fox', TEXT, true],
  ['FOX', TEXT, true],
  ['fo', TEXT, false],
  ['fox dog', TEXT, true],
  ['fox cat', TEXT, false],
  ['and', TEXT, false],
  // phrases
  ['"brown fox"', TEXT, true],
  ['"fox brown"', TEXT, false],
  ['"brown fox', TEXT, true],
  ['"brown fo"', TEXT, false],
  ['"brown fo"*', TEXT, true],
  // prefix
  ['jum*', TEXT, true],
  ['umps*', TEXT, false],
  // not
  ['fox -dog', TEXT, false],
  ['fox -cat', TEXT, true],
  ['-cat', TEXT, false],
  ['fox -"dog lazy"', TEXT, true],
  ['fox -(cat OR dog)', TEXT, false],
  ['fox -(cat dog)', TEXT, true],
  ['-(-fox)', TEXT, true],
  ['fox (-cat OR dog)', TEXT, true],
  ['fox (-dog OR cat)', TEXT, false],
  // or and groups
  ['cat OR dog', TEXT, true],
  ['cat OR bird', TEXT, false],
  ['cat or dog', TEXT, false],
  ['fox cat OR dog', TEXT, true],
  ['fox (cat OR bird)', TEXT, false],
  ['(cat OR dog) (bird OR fox)', TEXT, true],
  ['fox AND dog', TEXT, true],
  ['fox AND cat', TEXT, false],
  ['fox NOT cat', TEXT, true],
  ['fox NOT dog', TEXT, false],
  ['fox AND NOT dog', TEXT, false],
  ['fox NOT (cat OR bird)', TEXT, true],
  ['fox NOT (cat OR dog)', TEXT, false],
  ['fox "NOT" dog', TEXT, false],
  ['fox AND', TEXT, false],
  ['fox AND', 'fox and', true],
  ['AND fox', 'fox and', true],
  ['fox NOT', 'fox not', true],
  ['fox OR', TEXT, false],
  ['fox OR', 'fox or', true],
  // literal
  ['src/core', TEXT, true],
  ['core/src', TEXT, false],
  ['row-kind.ts', TEXT, true],
  ['kind', TEXT, true],
  ['/core/', TEXT, true],
  ['foo(bar)', 'x = foo(bar)', true],
  ['foo(bar)', 'bar foo', false],
  ['(foo(bar) x)', 'x = foo(bar)', true],
  ['--no-index', 'use --no-index here', true],
  ['--no-index', 'there is no such index', false],
  ['a:b', 'a: b', true],
  ['🤖 fox', TEXT, true],
  // accents
  ['cafe', 'Le Café', true],
  ['café', 'le cafe', true],
  ['cafe\u0301', 'LE CAFÉ', true],
  ['größe', 'GRÖßE', true],
  ['grosse', 'Größe', false],
  // identifiers
  ['getUserName', 'call getUserName()', true],
  ['getusername', 'call getUserName()', true],
  ['user', 'call getUserName()', true],
  ['userName', 'call getUserName()', true],
  ['"user name"', 'call getUserName()', true],
  ['"name user"', 'call getUserName()', false],
  ['getName', 'call getUserName()', false],
  ['use*', 'call getUserName()', true],
  ['getUs*', 'call getUserName()', true],
  ['userFoo', 'getUser fooBar', false],
  ['sername', 'getUserName', false],
  ['server', 'HTTPServer2', true],
  ['Server2', 'HTTPServer2', true],
  ['HTTPServer', 'HTTPServer2', true],
  ['Name2', 'getUserName2', true],
  ['kind', 'core/rowKind.ts', true],
  ['user -name', 'getUserName', false],
  ['andern', 'größeÄndern', true],
  // CJK
  ['喜欢', '我喜欢编程', true],
  ['我喜欢编程', '我喜欢编程', true],
  ['喜欢编', '我喜欢编程', true],
  ['欢喜', '我喜欢编程', false],
  ['我编', '我喜欢编程', false],
  ['欢', '我喜欢编程', true],
  ['程', '我喜欢编程', true],
  ['好', '我喜欢编程', false],
  ['喜编', '我喜。编程', false],
  ['喜欢 编程', '我喜欢编程', true],
  ['我 -编程', '我喜欢编程', false],
  ['TypeScript', '使用TypeScript编写', true],
  ['typescript', '使用TypeScript编写', true],
  ['script', '使用TypeScript编写', true],
  ['使用TypeScript', '我们使用TypeScript编写', true],
  ['TypeScript编', '我们使用TypeScript编写', true],
  ['用JavaScript', '我们使用TypeScript编写', false],
  ['文档.md', '我的文档.md', true],
  ['文档.txt', '我的文档.md', false],
  ['カナ', 'カタカナです', true],
  ['국어', '한국어를', true],
  ['𠮷', '𠮷野家', true],
  ['野家', '𠮷野家', true],
  // what SQLite's own tables think of
  ['hello', '🤖hello', true],
  ['🤖hello', '🤖hello', true],
  ['after', 'before\0after', true],
])('%j in %j: %s', (query, text, expected) => {
  expect(finds(query, text)).toBe(expected)
})

test('a query that only says what is not wanted has no expression', () => {
  for (const query of ['-a', '-a -b', '-(a b)', 'a OR -b', '', '🤖', '...', '-(a OR b)']) {
    expect(toFts(parseQuery(query)), query).toBeUndefined()
  }
})

test('the columns may have other names', () => {
  const match = toFts(parseQuery('a aB'), { text: 't', parts: 'p' })
  expect(match).toBe('({t p} : "a" AND (t : "aB" OR p : "a b"))')
})

test('the terms that a hit holds', () => {
  const texts = (query: string) => wantedTerms(parseQuery(query)).map(({ text }) => text)
  expect(texts('a "b c" -d (e OR f*) -(g -h)')).toEqual(['a', 'b c', 'e', 'f', 'h'])
})

const name = fc
  .array(
    fc.constantFrom(
      'get',
      'User',
      'Name',
      'HTTP',
      'id',
      'X',
      'row2',
      'Größe',
      '_',
      '-',
      '.',
      '好',
      '编程',
      '한국',
      'カナ',
      '🤖',
      '2',
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((pieces) => pieces.join(''))
/** Characters that people type; of symbols in rare scripts, SQLite's older tables think otherwise than ours. */
const letter = fc
  .oneof(
    ...[
      [0x01, 0x17f],
      [0x300, 0x331],
      [0x391, 0x3ff],
      [0x400, 0x4ff],
      [0x2010, 0x2060],
      [0x3041, 0x30ff],
      [0x4e00, 0x4fff],
      [0xac00, 0xadff],
      [0x1f300, 0x1faff],
      [0x20000, 0x200ff],
    ].map(([min, max]) => fc.integer({ min: min as number, max: max as number })),
  )
  .map((code) => String.fromCodePoint(code))
const prose = fc
  .array(fc.oneof(name, fc.string({ unit: letter, maxLength: 8 })), { minLength: 1, maxLength: 8 })
  .map((list) => list.join(' '))

test('a text is found by each of its words, their parts, and any two words in a row', () => {
  fc.assert(
    fc.property(prose, (text) => {
      index(text)
      const isFound = (term: string) => {
        const match = toFts(parseQuery(`"${term}"`))
        // Symbols alone are no words.
        if (match !== undefined) expect(select.all(match), `${term} in ${text}`).toHaveLength(1)
      }
      let before: number | undefined
      for (let word = nextWord(text, 0); word; word = nextWord(text, word.to)) {
        const own = text.slice(word.from, word.to)
        isFound(own)
        for (const part of partsIn(own)) isFound(own.slice(part.from, part.to))
        if (before !== undefined && !text.slice(before, word.to).includes('"')) isFound(text.slice(before, word.to))
        before = word.from
      }
    }),
    { numRuns: 500 },
  )
})
