import { count, mb, table, time } from './report.mjs'

/** The figures of the web app as a table. */
export function webReport(figures) {
  if (figures.missing) return `The web app was not measured: ${figures.missing}.\n`
  const { sessions, rows, home, session, longestTaskMs, longTasks, heapBytes, liveMs, serverBytes } = figures
  const goal = (isMet) => (isMet ? 'met' : '**missed**')
  return [
    `The web app in Chromium, index warm, ${count(sessions)} sessions, one of them 50 MB in ${count(rows)} rows; paints are the shortest of 5.`,
    '',
    table([
      ['what', 'ours', 'goal', ''],
      ['home: first session drawn', time(home), '≤ 400 ms', goal(home <= 400)],
      ['the 50 MB session: first row drawn', time(session), '≤ 400 ms', goal(session <= 400)],
      [
        `scrolling through it: longest task (${longTasks} over 100 ms)`,
        time(longestTaskMs),
        '≤ 100 ms',
        goal(longTasks === 0),
      ],
      ['memory of the page after that', mb(heapBytes), '', ''],
      ['append → visible, median of 5', time(liveMs), '≤ 300 ms', goal(liveMs <= 300)],
      ['memory of the server after that', mb(serverBytes), '', ''],
    ]),
    '',
  ].join('\n')
}
