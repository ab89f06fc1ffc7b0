import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatResume } from './resume.ts'

const command = 'claude --resume 3f9a1b2c-0000-4000-8000-000000000001'

test('gives a command that a shell takes as it is meant', () => {
  const line = `cd '/code/ana'\\''s api' && ${command}`
  expect(formatResume(samples.resume, viewOf())).toEqual(['Fix token refresh race', line])
  expect(formatResume(samples.resume, viewOf({ width: Number.POSITIVE_INFINITY }))).toEqual([line])
})

test('does without a folder', () => {
  expect(formatResume({ ...samples.resume, cwd: null, title: null }, viewOf())).toEqual([command])
})

test('lets no folder name run as a command', () => {
  const cwd = '/tmp/$(touch owned);\n`id`'
  expect(formatResume({ ...samples.resume, cwd, title: null }, viewOf())).toEqual([
    `cd '/tmp/$(touch owned);␊\`id\`' && ${command}`,
  ])
})
