import { count, table } from './report.mjs'

const GOALS = {
  'usage of a month by day': 2_000,
  'usage of a month by project': 2_000,
  'search of a rare word, first page': 500,
  'search of a word in every record, first page': 500,
}

/** What people ask of a PostgreSQL, as a table; a sentence where there is none. Goals are those of ten million responses. */
export function storeReport(figures) {
  if (figures.missing !== undefined) return figures.missing
  const { rows, people, logs, storeMb, lines } = figures
  return [
    `PostgreSQL with ${count(rows)} responses and as many texts of ${count(people)} people in ${count(logs)} logs, ${count(storeMb)} MB; asked by a reader, once each. Of the command line, wall time with its start.`,
    '',
    table([
      ['what', 'ours', 'goal', ''],
      ...lines.map(({ what, ms }) => {
        const goal = GOALS[what]
        const verdict = goal === undefined ? ['', ''] : [`≤ ${count(goal)} ms`, ms <= goal ? 'met' : '**missed**']
        return [what, `${count(ms)} ms`, ...verdict]
      }),
    ]),
    '',
  ].join('\n')
}
