import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatCheck } from './check.ts'

const place = '~/.claude/projects/-code-api/log.jsonl'

test('accounts for every byte and groups what is odd', () => {
  expect(formatCheck(samples.check, viewOf())).toEqual([
    '2 logs · 1 kB · 11 lines · 10 records',
    '✓ every byte accounted for: 970 in records, 15 unreadable, 10 between them, 5 not yet whole',
    'Claude Code 2.0.77 to 2.1.325',
    'beside the logs: 1 history',
    '',
    'Could not be read',
    '  BAD_JSON ×1  15 bytes are not JSON.',
    `    ${place}:12 @3455`,
    '',
    'Odd, but nothing is lost',
    '  GLUED ×1  2 records are on one line; all were read.',
    `    ${place}:14 @3455`,
    '',
    'New or different in the format',
    '  NEW_FIELD  fields that annals does not know',
    '    user  message.novel  ×12  2.1.300 to 2.1.325',
    `    first: ${place}:12 @3455`,
    '',
    '✗ 1 place could not be read; everything else was.',
  ])
})

test('says what was not read, in place of that everything was', () => {
  const file = '/home/ana/.claude/projects/-code-api/x.jsonl'
  const unread = [{ file, message: 'It could not be read: permission denied.' }]
  const lines = formatCheck({ ...samples.check, diagnostics: [], unread }, viewOf())
  expect(lines).toContain('Was not read')
  expect(lines).toContain('  ~/.claude/projects/-code-api/x.jsonl  It could not be read: permission denied.')
  expect(lines.at(-1)).toBe('✗ 1 file or folder could not be opened; everything else was.')
})

test('says when all is well', () => {
  const well = { ...samples.check, diagnostics: [], drift: [] }
  expect(formatCheck(well, viewOf()).at(-1)).toBe('✓ Everything was read, and all of it is in the known format.')
})

test('says what was salvaged and what is unfamiliar', () => {
  const { check } = samples
  const diagnostics = check.diagnostics.filter((diagnostic) => diagnostic.salvaged)
  expect(formatCheck({ ...check, diagnostics }, viewOf()).at(-1)).toBe(
    '✓ Everything was read (1 oddity salvaged; 1 difference from the format annals knows, kept as found).',
  )
})

test('names only the first places', () => {
  const [first] = samples.check.diagnostics
  const diagnostics = Array.from({ length: 5 }, () => first).flatMap((one) => one ?? [])
  const lines = formatCheck({ ...samples.check, diagnostics }, viewOf())
  expect(lines).toContain('  BAD_JSON ×5  15 bytes are not JSON.')
  expect(lines).toContain('    … 2 more places')
})

test('admits it when a byte is missing', () => {
  const summary = { ...samples.check.summary, recordBytes: 968 }
  expect(formatCheck({ ...samples.check, summary }, viewOf())[1]).toBe(
    '✗ 2 bytes not accounted for: a bug in annals, please report it',
  )
})
