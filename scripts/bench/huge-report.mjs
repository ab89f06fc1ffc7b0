import { count, mb, table, time } from './report.mjs'

const GOAL_MB = 1500

/** What commands took on one huge log. */
export function hugeReport({ rows, bytes, runs }) {
  const line = ([command, { ms, mb: peak }]) => [
    `\`annals ${command}\``,
    time(ms),
    mb(peak * 1e6),
    '≤ 1.5 GB',
    peak <= GOAL_MB ? 'met' : '**missed**',
  ]
  return [
    `One log of ${count(rows)} rows, half of them answers with tokens of their own; ${mb(bytes)}. Each command begins with an empty home of annals. One run of each.`,
    '',
    table([['what', 'time', 'peak memory', 'goal', ''], ...runs.map(line)]),
    '',
  ].join('\n')
}
