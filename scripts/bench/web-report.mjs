import { figureTable } from './goals.mjs'
import { count, mb, time } from './report.mjs'

/** The figures of the web app as a table: times beside those of an empty page in the same run. */
export function webReport(figures) {
  if (figures.missing) return `The web app was not measured: ${figures.missing}.\n`
  const { sessions, rows, empty, longestTaskMs, longTasks, heapBytes, logBytes, peakBytes, serverBytes } = figures
  const over = (what, ms, beside, limit) => ({
    what,
    ours: `${time(ms)}, empty ${time(beside)}: + ${time(ms - beside)}`,
    goal: `≤ ${limit} ms over it`,
    isMet: ms - beside <= limit,
  })
  return [
    `The web app in Chromium, index warm, ${count(sessions)} sessions in ${mb(logBytes)}, one of them 50 MB in ${count(rows)} rows; paints are the shortest of 5, and beside an empty page of the same server.`,
    '',
    figureTable([
      over('home: first session drawn', figures.home, empty, 250),
      over('the 50 MB session: first row drawn', figures.session, empty, 250),
      over('append → visible, median of 5', figures.liveMs, figures.liveEmptyMs, 150),
      over('search: last key → first hit, shortest of 5', figures.searchMs, figures.searchEmptyMs, 100),
      {
        what: `scrolling through the session: longest task (${longTasks} over 100 ms)`,
        ours: time(longestTaskMs),
        goal: '≤ 100 ms',
        isMet: longTasks === 0,
      },
      ...Object.entries(figures.prompts).map(([page, { wallMs, processorMs }]) => ({
        what: `2,500 prompts, opened and scrolled three times, ${page}: longest task`,
        ours: `${time(wallMs)}, ${time(processorMs)} of the processor`,
        goal: '≤ 100 ms',
        isMet: wallMs <= 100,
      })),
      { what: 'memory of the page after that', ours: mb(heapBytes), goal: '', isMet: true },
      {
        what: `memory of the server after all of it (${mb(peakBytes)} at most)`,
        ours: mb(serverBytes),
        goal: '≤ 350 MB',
        isMet: serverBytes <= 350e6,
      },
    ]),
    '',
  ].join('\n')
}
