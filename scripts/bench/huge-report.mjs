import { count, mb, table, time } from './report.mjs'

/** What commands took on huge logs. */
export function hugeReport(sizes) {
  const rows = sizes.flatMap(({ rows, limitMb, runs }) =>
    runs.map((run) => [
      `\`${run.command}\`, ${count(rows)} rows`,
      time(run.ms),
      time(run.cpuMs),
      mb(run.mb * 1e6),
      `≤ ${count(limitMb)} MB`,
      run.mb <= limitMb ? 'met' : '**missed**',
    ]),
  )
  const logs = sizes.map(({ rows, bytes }) => `${count(rows)} rows, ${mb(bytes)}`).join('; ')
  return `One log each: ${logs}; half of the rows are answers with tokens of their own. Each command begins with an empty home of annals. One run of each.

${table([['what', 'wall', 'processor', 'peak memory', 'goal', ''], ...rows])}
`
}
