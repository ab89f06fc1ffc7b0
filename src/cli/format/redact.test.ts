import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { empties, samples } from '../../../tests/support/format-samples.ts'
import { formatRedact } from './redact.ts'

test('shows each secret by its placeholder, with where it lies', () => {
  expect(formatRedact(samples.redact, viewOf())).toEqual([
    '3 secrets found, 2 different  2 sessions · 5 files · 1.2 MB',
    '',
    'github-token ×2',
    '  [REDACTED:github-token:3f9a] ×2',
    '    ~/.claude/projects/-code-api/log.jsonl:12 @3455 · message.content[0].text',
    '    ~/.claude/projects/-code-api/log.jsonl:14 @3455 · toolUseResult.stdout',
    '',
    'assigned-password ×1',
    '  [REDACTED:assigned-password:07bc]',
    '    ~/.claude/projects/-code-api/log.jsonl:12 @3455',
    '',
    '/home/ana/.claude/projects/-code-api/gone.jsonl: It is gone.',
    '',
    'Exports are redacted by default. Replace any secret that was ever in a session.',
  ])
})

test('says how much was looked at where there is none', () => {
  const result = empties.redact
  expect(result && formatRedact(result, viewOf())).toEqual(['No secret was found: 2 sessions · 5 files · 1.2 MB.'])
})

test('shows the first places of a secret that lies everywhere', () => {
  const [item] = samples.redact.items
  const items = item ? Array.from({ length: 40 }, () => item) : []
  expect(formatRedact({ ...samples.redact, items }, viewOf())).toContain('    … 37 more places')
})
