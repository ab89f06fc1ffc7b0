import { expect, test } from 'vitest'
import { nextSort, sortedBy } from './sorting.ts'

const rows = [
  { name: 'b', cost: 2 },
  { name: 'a', cost: null },
  { name: 'c', cost: 10 },
]
const columns = [
  { name: 'Name', value: (row: (typeof rows)[number]) => row.name },
  { name: 'Cost', value: (row: (typeof rows)[number]) => row.cost },
]
const names = (sort: string | undefined) => sortedBy(rows, columns, sort).map(({ name }) => name)

test('rows are sorted by a column, and what is not known comes last either way', () => {
  expect(names('Name')).toEqual(['a', 'b', 'c'])
  expect(names('-Name')).toEqual(['c', 'b', 'a'])
  expect(names('Cost')).toEqual(['b', 'c', 'a'])
  expect(names('-Cost')).toEqual(['c', 'b', 'a'])
  expect(names(undefined)).toEqual(['b', 'a', 'c'])
  expect(names('Nonsense')).toEqual(['b', 'a', 'c'])
})

test('figures are sorted by the most first, names from the start, and then the other way', () => {
  expect(nextSort('Cost', true, undefined)).toBe('-Cost')
  expect(nextSort('Cost', true, '-Cost')).toBe('Cost')
  expect(nextSort('Name', false, '-Cost')).toBe('Name')
  expect(nextSort('Name', false, 'Name')).toBe('-Name')
})
