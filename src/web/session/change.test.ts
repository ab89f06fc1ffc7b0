import { expect, test } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { meaningOf } from '../../core/tools/meaning-of.ts'
import { type Hunk, UNANSWERED } from '../../core/tools/tool-call.ts'
import { changeOf as changeMeant } from './change.ts'

const changeOf = ({ patch, ...call }: { name: string; input: JsonObject; patch: readonly Hunk[] | null }) =>
  changeMeant(meaningOf({ ...UNANSWERED, ...call }), patch)

test('a patch keeps its numbers', () => {
  const patch = [{ oldStart: 3, oldLines: 2, newStart: 3, newLines: 2, lines: [' a', '-b', '+c', '\\ No newline'] }]
  expect(changeOf({ name: 'Edit', input: {}, patch })).toEqual({
    hunks: [
      [
        { sign: ' ', text: 'a', oldNumber: 3, newNumber: 3 },
        { sign: '-', text: 'b', oldNumber: 4, newNumber: null },
        { sign: '+', text: 'c', oldNumber: null, newNumber: 4 },
        { sign: '\\', text: 'No newline', oldNumber: null, newNumber: null },
      ],
    ],
    added: 1,
    removed: 1,
    isNumbered: true,
  })
})

test('without a patch the texts are compared, and where they stood is not claimed', () => {
  const input = { old_string: 'one\ntwo', new_string: 'one\n2' }
  const change = changeOf({ name: 'Edit', input, patch: null })
  expect(change).toMatchObject({ added: 1, removed: 1, isNumbered: false })
  expect(change?.hunks[0]?.map(({ sign, text }) => sign + text)).toEqual([' one', '-two', '+2'])
})

test('a new file is all added', () => {
  expect(changeOf({ name: 'Write', input: { content: 'a\nb\n' }, patch: null })).toMatchObject({ added: 2, removed: 0 })
})

test('several edits of one call are parts of one change', () => {
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: 'c', new_string: '' },
  ]
  expect(changeOf({ name: 'MultiEdit', input: { edits }, patch: null })).toMatchObject({ added: 1, removed: 2 })
})

test('a call that changes nothing has no change', () => {
  expect(changeOf({ name: 'Bash', input: { command: 'ls' }, patch: null })).toBeUndefined()
})
