import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatDoctor } from './doctor.ts'

test('tells what is well, what is not, and what to do', () => {
  expect(formatDoctor(samples.doctor, viewOf())).toEqual([
    '✓ root         /home/ana/.claude has 15 session logs.',
    '✗ permissions  Everyone can read it.',
    '               → chmod 700 /home/ana/.claude',
    '',
    '1 of 2 checks needs attention.',
  ])
})

test('wraps what is long below itself', () => {
  const checks = [{ name: 'root', ok: true, detail: 'word '.repeat(20).trim(), fix: null }]
  expect(formatDoctor({ checks, ok: true }, viewOf({ width: 60 }))).toEqual([
    `✓ root  ${'word '.repeat(10).trim()}`,
    `        ${'word '.repeat(10).trim()}`,
    '',
    'No problems found.',
  ])
})
