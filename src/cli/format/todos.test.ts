import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatTodos } from './todos.ts'

test('shows lists with what is done, being done and left', () => {
  expect(formatTodos(samples.todos, viewOf())).toEqual([
    '3f9a1b2c · agent-a1b2c3d4 · just now · as the model wrote it',
    '  ☑ Add the handler',
    '  ▶ Cover it',
    '  ☐ Ship it',
    '',
    '1 list · 1 of 3 done',
  ])
})
