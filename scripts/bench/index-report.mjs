// Makes the tables of what was measured of lists, sums, search and the index.
import { figureTable, processTable } from './goals.mjs'
import { isGigabyte } from './index-goals.mjs'
import { count, mb, time } from './report.mjs'

/** The tables, with on what they were measured. */
export function indexReport(part) {
  const { roots, rounds, rows, hot, search, tokens } = part
  const told = ({ bytes, logs, lines }) => `${mb(bytes)} in ${count(logs)} logs of ${count(lines)} rows`
  const [main, wide, small] = roots.map(told)
  return `Roots: ${main}; ${wide}; small sessions: ${small}.
Times are the shortest of ${rounds.cold} rounds for first runs, ${rounds.warm} for warm ones, ${rounds.regex} for patterns, ours and what stands beside it in turn; whole processes,
wall and processor time (user and system, all threads and children) as bash's \`time\` tells them. Each first run begins with an empty home of annals.
Tokens: ${tokens}.

${processTable(rows)}

Searches are the operation in a process that has the index open, the shortest of ${search.rounds}; of appends the median of ${search.appended.count}.

${figureTable(figures(part))}
${hot.length === 0 ? '' : `\nWhere the time of missed goals was, by V8's own profile of all threads of one more run:\n\n${hot.map(({ what, where }) => `- ${what}: ${where}`).join('\n')}\n`}`
}

function figures({ roots, search, indexBytes, peaks }) {
  const { searches, appended } = search
  const limited = (what, ms, limitMs) => ({ what, ours: time(ms), goal: `≤ ${limitMs} ms`, isMet: ms <= limitMs })
  const peak = (what, megabytes, limit) => ({
    what: `peak memory of ${what}`,
    ours: mb(megabytes * 1e6),
    goal: limit === undefined ? '' : `≤ ${limit} MB`,
    isMet: megabytes <= limit,
  })
  const share = indexBytes / roots[0].bytes
  return [
    ...searches.map(({ what, total, sessions, ms, limitMs }) =>
      limited(`${what}: ${count(total)} hits in ${count(sessions)} sessions`, ms, limitMs),
    ),
    limited(
      `${appended.lines} appended lines searchable, following (longest ${time(appended.longestMs)})`,
      appended.ms,
      10,
    ),
    {
      what: `index on disk, of ${mb(roots[0].bytes)} of logs`,
      ours: `${mb(indexBytes)}, ${(100 * share).toFixed(1)} %`,
      goal: '≤ 18 %',
      isMet: share <= 0.18,
    },
    peak('`index` from nothing', peaks.index, isGigabyte(roots[0]) ? 300 : undefined),
    peak('first `usage` of small sessions', peaks.small, 300),
  ]
}
