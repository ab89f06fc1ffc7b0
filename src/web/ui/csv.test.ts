import { expect, test } from 'vitest'
import { csvText } from './csv.ts'

test('cells are quoted where they must be, and none becomes a formula', () => {
  const rows = [
    ['Name', 'Cost'],
    ['a "b", c', 1.5],
    ['=1+1', null],
    ['two\nlines', 0],
  ]
  expect(csvText(rows)).toBe('Name,Cost\r\n"a ""b"", c",1.5\r\n\'=1+1,\r\n"two\nlines",0\r\n')
})
