import { describe, expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import type { Lines } from './parts/lines.ts'
import { formatUsage, formatUsageAnew } from './usage.ts'

const { usage } = samples
const plainWeek = {
  ...usage,
  total: { ...usage.total, abandoned: { responses: 0, costUsd: 0 } },
  coverage: { ...usage.coverage, placeholderResponses: 0, unpricedModels: [] },
  reconcile: null,
}

describe('usage', () => {
  test('is a week of bars with tokens, empty days too, what no line shows, the total, and the way to the receipt', () => {
    expect(formatUsage(plainWeek, viewOf({ width: 90 }))).toEqual([
      'Last 7 days · Europe/Berlin · API prices, not your invoice',
      '',
      '                               in   out  cache    cost',
      'Mon  9          ████          91k  340k  12.9M   $6.20',
      'Tue 10          ██            91k  340k  12.9M   $3.10',
      'Wed 11          ████████████  91k  340k  12.9M  $16.80  61 % in one session',
      'Thu 12          ███           91k  340k  12.9M   $4.40',
      'Fri 13          █             91k  340k  12.9M   $2.00',
      'Sat 14                                               –',
      'Sun 15                                               –',
      '─'.repeat(54),
      'Logged                        91k  340k  12.9M  $32.50  agents $14.10',
      'In no log line                                   $0.90  2 compactions',
      'Total                                           $33.40',
      '',
      '412 responses · 1,033 repeated rows counted once',
      'why Wednesday?   annals receipt 2026-11-11',
    ])
  })

  test('the less room there is, the fewer columns; with room the model is named', () => {
    const lineAt = (width: number) => formatUsage(plainWeek, viewOf({ width }))[3]
    expect(lineAt(50)).toBe('Mon  9           $6.20')
    expect(lineAt(70)).toBe('Mon  9          ████           $6.20')
    expect(lineAt(120)).toBe('Mon  9          █████████                 91k  340k  12.9M   $6.20  opus-4-8')
    expect(lineAt(140)).toMatch(/91k {2}340k +12M +940k +\$6\.20 {2}opus-4-8$/)
  })

  test('piped, it is a row for each day with its date and whole numbers; what is said about them is apart', () => {
    const lines = formatUsage(plainWeek, viewOf({ width: Number.POSITIVE_INFINITY })) as readonly string[] & Lines
    const data = lines.slice(0, lines.footerFrom)
    expect(data[0]).toBe('2026-11-09\t91000\t340000\t12940000\t$6.20\topus-4-8\t')
    expect(data.map((line) => line.split('\t').length)).toEqual(plainWeek.rows.map(() => 7))
    const about = lines.slice(lines.footerFrom).join('\n')
    expect(about).toContain('Last 7 days')
    expect(about).toContain('Total $33.40')
  })

  test('old days are not taken for the last ones, and a limit is told first', () => {
    const warn = { limitUsd: 50, per: 'day', spentUsd: 61.5, isOver: true } as const
    const lines = formatUsage({ ...plainWeek, isLatest: true, warn }, viewOf())
    expect(lines.slice(0, 3)).toEqual([
      '2026-11-09 to 2026-11-15 · Europe/Berlin · API prices, not your invoice',
      'No usage in the last 7 days: these are the last days that have some.',
      '! $61.50 today: more than $50',
    ])
    // It is the one thing that must not be cut.
    const narrow = formatUsage({ ...plainWeek, isLatest: true }, viewOf({ width: 40 })).join(' ')
    expect(narrow).toContain('No usage in the last 7 days: these are the last days that have some.')
    const within = formatUsage({ ...plainWeek, warn: { ...warn, spentUsd: 2, isOver: false } }, viewOf())
    expect(within[1]).toBe('✓ $2.00 today: within $50')
  })

  test('says what is missing: abandoned branches, first tokens only, models without a price', () => {
    const text = formatUsage(usage, viewOf()).join('\n')
    expect(text).toContain('3 responses on abandoned branches, $0.4000')
    expect(text).toContain('1 response known only by its first tokens: counted too low')
    expect(text).toContain('no price is known for glm-9: not in any total')
  })

  test('says how much of the logs is in no sum', () => {
    const behind = { complete: false, behindBytes: 2_000_000 }
    expect(formatUsage({ ...usage, ...behind }, viewOf()).join('\n')).toMatch(/ MB of logs could not be read/)
    expect(formatUsage({ ...usage, ...behind, rows: [] }, viewOf()).join('\n')).toMatch(/ MB of logs could not be read/)
    expect(formatUsage(usage, viewOf()).join('\n')).not.toContain('could not be read')
  })

  test('takes the place of what the terminal shows when it comes again, and of nothing elsewhere', () => {
    const lines = formatUsage(plainWeek, viewOf({ width: 68 }))
    const [first, ...rest] = formatUsageAnew(plainWeek, viewOf({ width: 68 }))
    expect([first, ...rest]).toEqual([`\u001b[H\u001b[2J${lines[0]}`, ...lines.slice(1)])
    const piped = viewOf({ width: Number.POSITIVE_INFINITY })
    expect(formatUsageAnew(plainWeek, piped)).toEqual(['', ...formatUsage(plainWeek, piped)])
    const csv = viewOf({ width: 68, input: { csv: true } })
    expect(formatUsageAnew(plainWeek, csv)).toEqual(formatUsage(plainWeek, csv))
  })

  test('has one total where the ledger knows no more', () => {
    const lines = formatUsage({ ...plainWeek, unlogged: { costUsd: 0, reasons: [] } }, viewOf())
    expect(lines.filter((line) => /^(Logged|In no log line|Total)/.test(line))).toHaveLength(1)
  })

  test('calls what has no price unpriced, never zero', () => {
    const rows = plainWeek.rows.slice(0, 1).map((row) => ({ ...row, key: 'glm-9', costUsd: null, ownCostUsd: null }))
    const total = { ...plainWeek.total, costUsd: null, withUnloggedUsd: null }
    const lines = formatUsage(
      { ...plainWeek, by: 'model', rows, total },
      viewOf({ input: { by: 'model', since: '2026-11-09' } }),
    )
    expect(lines.find((line) => line.startsWith('glm-9'))).toMatch(/340k {2}12\.9M {2}unpriced {2,}412 responses$/)
    expect(lines[0]).toMatch(/^Since 2026-11-09/)
  })

  test('sets ours beside theirs', () => {
    const text = formatUsage(usage, viewOf({ width: 120 })).join('\n')
    expect(text).toMatch(/3f9a1b2c {2}Fix token refresh race +\$0\.0247 +\$0\.0273 +\$0\.0026 +1 compaction/)
    expect(text).toMatch(/88aa0000 +\$0\.0247 +\$0\.0273 +equal/)
  })

  test('is CSV when asked, with nothing a spreadsheet would run', () => {
    const [first] = plainWeek.rows
    const rows = first ? [{ ...first, key: 'a', label: '=1+"2", x', costUsd: null }] : []
    expect(formatUsage({ ...plainWeek, rows }, viewOf({ input: { csv: true } }))).toEqual([
      'key,label,responses,inputTokens,outputTokens,cacheReadTokens,cacheWrite5mTokens,cacheWrite1hTokens,webSearches,costUsd,ownCostUsd',
      'a,"\'=1+""2"", x",412,91000,340000,12000000,40000,900000,2,,3.1',
    ])
  })

  test.each([
    ['month', '2026-11', 'Nov 2026'],
    ['week', '2026-W46', '2026-W46'],
    ['block', '2026-11-15T08:00:00.000Z', '2026-11-15 09:00–14:00'],
    ['total', 'total', 'everything'],
    ['agent-type', 'main', 'main sessions'],
    ['session', '3f9a1b2c-0000-4000-8000-000000000001', '3f9a1b2c'],
    ['turn', '3f9a1b2c-0000-4000-8000-000000000001#2', '3f9a1b2c 2'],
  ] as const)('names a %s', (by, key, name) => {
    const rows = plainWeek.rows.slice(0, 1).map((row) => ({ ...row, key }))
    expect(formatUsage({ ...plainWeek, by, rows }, viewOf())[3]).toMatch(new RegExp(`^${name} `))
  })
})
