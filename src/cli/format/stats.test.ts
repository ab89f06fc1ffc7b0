import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatStats } from './stats.ts'

test('bars and tables, each with its source', () => {
  expect(formatStats(samples.stats, viewOf())).toEqual([
    '9 prompts · 44 responses · 61 tool calls · 3 sessions · 1 agent',
    '2026-11-11 to 2026-11-14 · 3 active days · Europe/Berlin',
    '',
    'Activity  Prompts and responses.',
    'Wed 11 Nov  ████████████████████████  6 prompts  41 responses  60 calls  2 sessions',
    'Thu 12 Nov  ·',
    'Fri 13 Nov                            0 prompts   2 responses   0 calls   1 session',
    'Sat 14 Nov  ████████████              3 prompts    1 response    1 call   1 session',
    '',
    'By hour   ▁▁▁▁▁▁▁▁▃▅█▁▁▃▃▁▁▁▁▁▁▁▁▁  most from 10 to 11',
    '          0     6     12    18',
    'Weekdays  Mon ▁  Tue ▁  Wed █  Thu ▁  Fri ▁  Sat ▅  Sun ▁',
    '',
    'Tools  Tool calls and their results.',
    '                    calls  errors  median  slow (p95)  results',
    'Bash                   50     8 %   1.2 s        31 s   120 kB',
    'mcp__tracker__list     11                                900 B',
    '',
    'Models  Responses.',
    '               responses  tokens out',
    'claude-opus-5         44       18.3k',
    '',
    'Longest sessions  Each log.',
    '                                    span  turns  calls',
    '3f9a1b2c  Fix token refresh race  48 min      7     55',
    'b         (untitled)               1 min      2      6',
    '… 1 more: --limit',
    '',
    'Files  Calls that succeeded.',
    '                                edits  writes  reads  sessions',
    '~/code/api/src/auth/refresh.ts      4       1      3         2',
    '/code/notes.md                              1                1',
    '',
    '3 compactions (2 auto, 1 manual, median 154k tokens) · 2 interruptions · 1 API error',
    '',
    'Claude Code’s own count, up to 2026-11-13',
    '        sessions  messages  calls',
    '/stats        40     1,234      –',
    'annals         2        49     60',
    '2 days · 2 of them in no log (2025-11-02 …) · most begun at 14:00',
    '',
    'How each figure is counted: annals stats --json',
  ])
})

test('a narrow terminal shows less of a day', () => {
  const lines = formatStats(samples.stats, viewOf({ width: 60 }))
  expect(lines).toContain('Wed 11 Nov  ████████████████████████  6 prompts  2 sessions')
})

test('only the last two weeks, and the bars fit them', () => {
  const day = { prompts: 1, responses: 1, toolCalls: 0, sessions: 1 }
  const days = [
    { ...day, date: '2026-10-01', prompts: 100 },
    { ...day, date: '2026-11-01' },
    { ...day, date: '2026-11-14' },
  ]
  const lines = formatStats({ ...samples.stats, activity: { ...samples.stats.activity, days } }, viewOf())
  expect(lines.filter((line) => /^\w{3} [ \d]\d \w{3} {2}/.test(line))).toHaveLength(14)
  expect(lines.find((line) => line.startsWith('Sun  1 Nov'))).toContain('█'.repeat(24))
  expect(lines.join('\n')).not.toContain(' 1 Oct')
})

test('names from logs do nothing to the terminal', () => {
  const evil = '\u001b]0;owned\u0007\u001b[31mx\ny\u202e'
  const { tools, files, models, sessions } = samples.stats
  const hostile = {
    ...samples.stats,
    timeZone: evil,
    tools: tools.map((tool) => ({ ...tool, name: evil })),
    files: files.map((file) => ({ ...file, path: evil })),
    models: models.map((model) => ({ ...model, model: evil })),
    sessions: sessions.map((session) => ({ ...session, id: evil, title: evil })),
  }
  expect(formatStats(hostile, viewOf()).join('')).not.toMatch(/[\p{Cc}\u202e]/u)
})

test('what did not happen is not told', () => {
  const quiet = {
    ...samples.stats,
    compactions: { count: 0, auto: 0, manual: 0, preTokensMedian: null },
    interruptions: 0,
    apiErrors: 0,
    clientCache: null,
  }
  expect(formatStats(quiet, viewOf()).join('\n')).not.toMatch(/compaction|interruption|API error|own count/)
})
