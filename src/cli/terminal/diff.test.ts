import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editHunks } from '../../core/tools/edit-hunks.ts'
import type { Hunk } from '../../core/tools/tool-call.ts'
import { fileDiff } from '../../core/tools/tool-diff.ts'
import { compareLines, type DiffOptions, renderDiff } from './diff.ts'
import { createStyle } from './style.ts'

function render(hunks: readonly Hunk[], isNumbered: boolean, options: DiffOptions) {
  const diff = fileDiff(hunks, isNumbered)
  return { lines: renderDiff(diff, options), added: diff.added, removed: diff.removed }
}
const renderPatch = (hunks: readonly Hunk[], options: DiffOptions) => render(hunks, true, options)
const renderEdit = (before: string, after: string, options: DiffOptions) =>
  render(editHunks(before, after, compareLines), false, options)

const style = createStyle({ colour: false })
const options = { style, width: 40, maxLines: 50 }

test('numbers the lines of a patch and counts them', () => {
  const hunks = [
    { oldStart: 9, oldLines: 3, newStart: 9, newLines: 3, lines: [' a', '-b', '+B', ' c'] },
    {
      oldStart: 98,
      oldLines: 1,
      newStart: 98,
      newLines: 3,
      lines: [' x', '+y', '+\tz', '\\ No newline at end of file'],
    },
  ]
  expect(renderPatch(hunks, options)).toEqual({
    lines: [
      '  9   a',
      ' 10 - b',
      ' 10 + B',
      ' 11   c',
      '    ⋯',
      ' 98   x',
      ' 99 + y',
      '100 +   z',
      '    \\ No newline at end of file',
    ],
    added: 3,
    removed: 1,
  })
})

test('shows an edit without numbers', () => {
  expect(renderEdit('a\nb\nc', 'a\nB\nc', options)).toEqual({
    lines: ['  a', '- b', '+ B', '  c'],
    added: 1,
    removed: 1,
  })
  expect(renderEdit('', 'new', options)).toEqual({ lines: ['+ new'], added: 1, removed: 0 })
  expect(renderEdit('old\n', '', options)).toEqual({ lines: ['- old'], added: 0, removed: 1 })
  expect(renderEdit('a', 'a\n', options)).toEqual({ lines: ['  a', '+'], added: 1, removed: 0 })
  expect(renderEdit('same', 'same', options)).toEqual({ lines: [], added: 0, removed: 0 })
})

test('folds what is too long but counts all of it', () => {
  const lines = Array.from({ length: 10 }, (_, at) => `+${at}`)
  const hunk = { oldStart: 1, oldLines: 0, newStart: 1, newLines: 10, lines }
  expect(renderPatch([hunk], { ...options, maxLines: 2 })).toEqual({
    lines: ['1 + 0', '2 + 1', '… 8 more lines'],
    added: 10,
    removed: 0,
  })
  expect(renderPatch([hunk], { ...options, maxLines: 9 }).lines).toHaveLength(10)
})

test('paints what was added and removed, and cuts long lines', () => {
  const painted = renderEdit('abcdefgh', 'x', { style: createStyle({ colour: true }), width: 6, maxLines: 9 })
  expect(painted.lines).toEqual(['\u001b[31m- abc…\u001b[39m', '\u001b[32m+ x\u001b[39m'])
})

test('shows a carriage return only where it makes the difference', () => {
  expect(renderEdit('a\r\nb\r\n', 'a\r\nc\r\n', options).lines).toEqual(['  a', '- b', '+ c'])
  expect(renderEdit('a\r\nb', 'a\nb', options).lines).toEqual(['- a␍', '+ a', '  b'])
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a\r', '+b\r'] }
  expect(renderPatch([hunk], options).lines).toEqual(['1 - a', '1 + b'])
})

test('gives up comparing texts that share nothing, and still shows both', () => {
  const numbers = (from: number) => Array.from({ length: 3000 }, (_, at) => `${from + at}`).join('\n')
  const { added, removed, lines } = renderEdit(numbers(0), numbers(10_000), { ...options, maxLines: 1 })
  expect({ added, removed, lines }).toEqual({ added: 3000, removed: 3000, lines: ['- 0', '… 5,999 more lines'] })
})

test('adds as many lines more than it removes as the new text is longer', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { added, removed } = renderEdit(before.join('\n'), after.join('\n'), options)
      expect(added - removed).toBe(after.length - before.length)
    }),
  )
})
