import fc from 'fast-check'
import { expect, test } from 'vitest'
import { columns, fitWidths } from './columns.ts'
import { width } from './width.ts'

const rows = [
  ['Fix token refresh race', 'api', 'yesterday', '$4.12'],
  ['Add login tests', 'web', 'Tue', '$10.88'],
]
const align = ['left', 'left', 'left', 'right'] as const

test('aligns columns, numbers to the right', () => {
  expect(columns(rows, { width: 80, align })).toEqual([
    'Fix token refresh race  api  yesterday   $4.12',
    'Add login tests         web  Tue        $10.88',
  ])
})

test('shortens the flexible column until a row fits', () => {
  expect(columns(rows, { width: 40, align, flex: [0] })).toEqual([
    'Fix token refre…  api  yesterday   $4.12',
    'Add login tests   web  Tue        $10.88',
  ])
})

test('leaves no space at the end of a line, and takes rows of any length', () => {
  expect(columns([['a', 'b'], ['long'], []], { width: 20 })).toEqual(['a     b', 'long', ''])
  expect(columns([], { width: 20 })).toEqual([])
})

test('measures wide and painted cells by what is seen', () => {
  const red = '\u001b[31mab\u001b[39m'
  expect(
    columns(
      [
        [red, 'x'],
        ['日本', 'y'],
      ],
      { width: 20, gap: 1 },
    ),
  ).toEqual([`${red}   x`, '日本 y'])
})

test('takes from the widest first', () => {
  expect(fitWidths([10, 30, 5], 100, [0, 1, 2])).toEqual([10, 30, 5])
  expect(fitWidths([10, 30, 5], 25, [0, 1, 2])).toEqual([10, 10, 5])
  expect(fitWidths([10, 30, 5], 20, [0, 1])).toEqual([7, 8, 5])
  expect(fitWidths([10, 30, 5], 0, [0, 1])).toEqual([1, 1, 5])
})

test('fits every row into the width', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '日', ' ', '👍🏽') })
  fc.assert(
    fc.property(fc.array(fc.array(cell, { maxLength: 5 })), fc.integer({ min: 1, max: 60 }), (table, room) => {
      for (const row of columns(table, { width: room, align: ['right'] })) expect(width(row)).toBeLessThanOrEqual(room)
    }),
  )
})
