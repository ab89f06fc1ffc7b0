import { expect, test } from 'vitest'
import { editAgain } from './file-edit.ts'
import type { Hunk } from './tool-call.ts'

const one = (oldText: string, newText: string, isAll = false) => [{ oldText, newText, isAll }]

function hunk(oldStart: number, lines: readonly string[]): Hunk {
  const oldLines = lines.filter((line) => /^[ -]/.test(line)).length
  const newLines = lines.filter((line) => /^[ +]/.test(line)).length
  return { oldStart, oldLines, newStart: oldStart, newLines, lines }
}

test.each([
  ['a b a\n', one('b', 'c'), 'a c a\n'],
  ['a b a\n', one('a', 'c', true), 'c b c\n'],
  ['', one('', 'new\n'), 'new\n'],
  // What is taken away takes the end of its line along.
  ['a\nb\nc\n', one('b', ''), 'a\nc\n'],
  ['a\nb', one('\nb', ''), 'a'],
  ['$a\n', one('$a', '$& $1'), '$& $1\n'],
  ['a\r\nb\r\n', one('a\nb', 'c\nd'), 'c\r\nd\r\n'],
])('replaces in %j', (text, replacements, after) => {
  expect(editAgain(text, replacements, null)).toEqual({ text: after, isSure: true })
})

test.each([
  ['a a', one('a', 'b')],
  ['a', one('x', 'b')],
  ['a', one('', 'b')],
])('does not guess in %j', (text, replacements) => {
  expect(editAgain(text, replacements, null)).toBeUndefined()
})

test('a patch that shows tabs as spaces agrees with what was replaced', () => {
  const patch = [hunk(1, [' f() {', '-  a', '+  b', ' }'])]
  expect(editAgain('f() {\n\ta\n}\n', one('\ta', '\tb'), patch)).toEqual({ text: 'f() {\n\tb\n}\n', isSure: true })
})

test('where the texts do not tell, the patch does', () => {
  const patch = [hunk(3, ['-a', '+b'])]
  expect(editAgain('a\nx\na\n', one('a', 'b'), patch)).toEqual({ text: 'a\nx\nb\n', isSure: true })
})

test('where a person changed the edit, the patch has it', () => {
  const patch = [hunk(1, ['-a', '+by hand'])]
  expect(editAgain('a\n', one('a', 'b'), patch)).toEqual({ text: 'by hand\n', isSure: true })
})

test('a patch that fits nowhere makes the edit unsure', () => {
  expect(editAgain('a\n', one('a', 'b'), [hunk(1, ['-other', '+b'])])).toEqual({ text: 'b\n', isSure: false })
})

test.each([
  ['a', [hunk(1, ['-a', '\\ No newline at end of file', '+b'])], 'b\n'],
  ['a\n', [hunk(1, ['-a', '+b', '\\ No newline at end of file'])], 'b'],
  ['a', [hunk(1, ['-a', '\\ No newline at end of file', '+b', '\\ No newline at end of file'])], 'b'],
  ['', [hunk(0, ['+a', '+b'])], 'a\nb\n'],
  ['a\n', [hunk(1, ['-a'])], ''],
])('a patch of %j knows how the file ends', (text, patch, after) => {
  expect(editAgain(text, [], patch)?.text).toBe(after)
})
