import { count, mb, table, time } from './report.mjs'

/** Half a gibibyte, whatever the log is. */
const GOAL_MB = (512 * 2 ** 20) / 1e6

/** What commands took on one huge log. */
export function hugeReport({ rows, bytes, runs }) {
  const line = ([command, { ms, mb: peak }]) => [
    `\`annals ${command}\``,
    time(ms),
    mb(peak * 1e6),
    '≤ 512 MiB',
    peak <= GOAL_MB ? 'met' : '**missed**',
  ]
  return [
    `One log of ${count(rows)} rows, half of them answers with tokens of their own; ${mb(bytes)}. Each command begins with an empty home of annals. One run of each.`,
    '',
    table([['what', 'time', 'peak memory', 'goal', ''], ...runs.map(line)]),
    '',
  ].join('\n')
}
