import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatMemory } from './memory.ts'

test('shows each note with where it lies', () => {
  expect(formatMemory(samples.memory, viewOf())).toEqual([
    'tests  api · 86 B · just now',
    '  Run `npm test`.',
    '  ~/.claude/projects/-code-api/memory/tests.md',
  ])
})

test('folds a long note', () => {
  const items = samples.memory.items.map((item) => ({
    ...item,
    text: 'x\n'.repeat(40),
    agent: 'reviewer',
    project: null,
  }))
  const lines = formatMemory({ items, total: 1 }, viewOf())
  expect(lines[0]).toBe('tests  agent reviewer · 86 B · just now')
  expect(lines).toContain('  … 28 more lines')
})
