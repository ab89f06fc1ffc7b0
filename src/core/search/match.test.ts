import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDatabase } from '../../index/sqlite.ts'
import { linePattern, queryMatcher } from './match.ts'
import { parseQuery, toFts } from './query.ts'
import { partsOf } from './words.ts'

const words = fc.constantFrom(
  ...'user name getUserName get_user_name HTTPServer server2 mp3 naïve naive NAÏVE e\u0301t\u00e9 été Straße 日本語 本 日本語テスト код x1y2 3 a'.split(
    ' ',
  ),
)
const gap = fc.constantFrom(' ', ' ', ' ', '.', '\n', ' - ', '/', '_', '', '"')
const text = fc.array(fc.tuple(words, gap), { maxLength: 8 }).map((pairs) => pairs.flat().join(''))
const term = fc.oneof(
  words,
  fc.tuple(words, words).map(([a, b]) => `"${a} ${b}"`),
  words.map((word) => `${word.slice(0, 2)}*`),
)
const query = fc
  .array(fc.tuple(fc.constantFrom('', '', '', '-', 'OR ', '(', ') '), term), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.map(([before, one]) => before + one).join(' '))

test('a text fits a query exactly when full-text search finds it', () => {
  const database = openDatabase(':memory:')
  database.exec(`create virtual table words using fts5 (text, parts, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 2")`)
  const put = database.prepare('insert into words (rowid, text, parts) values (?, ?, ?)')
  const find = database.prepare('select rowid from words where words match ?')
  let asked = 0
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), query, (texts, typed) => {
      const parsed = parseQuery(typed)
      const match = toFts(parsed)
      if (match === undefined) return
      database.exec('delete from words')
      texts.forEach((one, i) => {
        put.run(i, one, partsOf(one))
      })
      const found = find.all(match).map(({ rowid }) => Number(rowid))
      asked += found.length
      const matches = queryMatcher(parsed)
      expect(texts.flatMap((one, i) => (matches(one) ? [i] : []))).toEqual(found)
    }),
    { numRuns: 1000 },
  )
  expect(asked).toBeGreaterThan(100)
  database.close()
})

test('every line in which a query may be found is a candidate, however it is escaped', () => {
  fc.assert(
    fc.property(text, query, fc.boolean(), (one, typed, isEscaped) => {
      const parsed = parseQuery(typed)
      const pattern = linePattern(parsed)
      if (toFts(parsed) === undefined || pattern === undefined || !queryMatcher(parsed)(one)) return
      const json = JSON.stringify({ text: one })
      const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
      const line = isEscaped ? json.replace(/[\u0080-\uffff]/g, escaped) : json
      // The pattern is ripgrep's; this much of its dialect is JavaScript's too.
      expect(new RegExp(pattern.replace('(?i)', ''), 'iu').test(line), `${pattern} in ${line}`).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['alpha betagamma', 'betagamma'],
  ['alpha OR beta', 'alpha|beta'],
  ['-alpha', undefined],
  ['alpha OR -beta', undefined],
  ['"one seventeen"', 'seventeen'],
])('%s needs %s', (typed, needed) => {
  const letters = linePattern(parseQuery(typed))
    ?.replaceAll('|(?:[^\\x00-\\x7f]|\\\\u[0-9a-f]{4})', '')
    .replaceAll('(?:[^\\x00-\\x7f]|\\\\u[0-9a-f]{4})*', '')
    .replace(/\(\?i\)|\(\?:|\)/g, '')
  expect(letters).toBe(needed)
})
