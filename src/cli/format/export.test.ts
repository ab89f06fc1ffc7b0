import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatExport } from './export.ts'

test('says where it went, what was masked, and what could not be written', () => {
  expect(formatExport(samples.export, viewOf())).toEqual([
    '✓ ~/history',
    '1 session · 2 files · 90 kB',
    '',
    '3 secrets masked: github-token ×2, private-key',
    '',
    '1 session could not be written:',
    '  ~/.claude/projects/-code-api/log.jsonl',
    '    It is gone.',
  ])
})

test('one file is named itself, and secrets that were left in are told', () => {
  const [file] = samples.export.files
  const one = { ...samples.export, files: file ? [file] : [], problems: [], redacted: false, redactions: {} }
  expect(formatExport(one, viewOf())).toEqual([
    '✓ ~/history/2026-11-12-fix-token-refresh-race-3f9a1b2c.html',
    '1 session · 90 kB',
    '',
    'Secrets were left in.',
  ])
})

test('standard output has the export itself and nothing else', () => {
  expect(formatExport({ ...samples.export, out: '-' }, viewOf())).toEqual([])
  expect(formatExport({ ...samples.export, total: 0 }, viewOf())).toEqual(['No session matches.'])
})
