import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatPath } from './path.ts'

const { path } = samples

test('gives the path, and to a person what to do next', () => {
  expect(formatPath(path, viewOf())).toEqual(['/home/ana/.claude/projects/-code-api', 'annals show 3f9a1b2c'])
  const missing = { ...path, exists: false, latestSession: null }
  expect(formatPath(missing, viewOf())[1]).toBe('The folder does not exist yet.')
})

test('gives nothing but the path when nobody looks on', () => {
  const view = viewOf({ width: Number.POSITIVE_INFINITY })
  expect(formatPath(path, view)).toEqual(['/home/ana/.claude/projects/-code-api'])
  expect(formatPath({ ...path, file: '/x/y.jsonl' }, view)).toEqual(['/x/y.jsonl'])
})
