import { count, table } from './report.mjs'

const GOALS = {
  'usage of a month by day': 2_000,
  'usage of a month by project': 2_000,
  'search of a rare word, first page': 500,
  'search of a word in every record, first page': 500,
}

/** What people ask of a PostgreSQL, a column for each size, as a table; a sentence where there is none. Goals are those of ten million responses. */
export function storeReport(sizes) {
  const [first] = sizes
  if (first.missing !== undefined) return first.missing
  const last = sizes.at(-1)
  const server = ({ serverCpuMs }) => (serverCpuMs === undefined ? '' : ` (${count(serverCpuMs)})`)
  return [
    `PostgreSQL with as many texts as responses, of ${count(first.people)} people; asked by a reader, the shortest of three, in brackets the server's processor time. Of the command line, wall time with its start.`,
    '',
    table([
      ['what', ...sizes.map(({ rows }) => `${count(rows)} responses`), 'goal', ''],
      ...last.lines.map(({ what, ms }, at) => {
        const goal = GOALS[what]
        const verdict = goal === undefined ? ['', ''] : [`≤ ${count(goal)} ms`, ms <= goal ? 'met' : '**missed**']
        return [what, ...sizes.map(({ lines }) => `${count(lines[at].ms)} ms${server(lines[at])}`), ...verdict]
      }),
      ['in the store', ...sizes.map(({ storeMb }) => `${count(storeMb)} MB`), '', ''],
      ['logs', ...sizes.map(({ logs }) => count(logs)), '', ''],
    ]),
    '',
  ].join('\n')
}

/** The same of whole commands on a store with some megabytes of logs. */
export function commandsReport({ missing, megabytes, logs, docs, rounds, bareMs, lines }) {
  if (missing !== undefined) return missing
  return [
    `PostgreSQL with ${count(megabytes)} MB of logs (${count(logs)} of them, ${count(docs)} texts), all content; whole processes of a reader, the shortest of ${rounds}. Bare Node takes ${bareMs} ms of each.`,
    '',
    table([
      ['command', 'ours', 'goal', ''],
      ...lines.map(({ command, goal, ms }) => [
        `\`${command} --store\``,
        `${count(ms)} ms`,
        `≤ ${count(goal)} ms`,
        ms <= goal ? 'met' : '**missed**',
      ]),
    ]),
    '',
  ].join('\n')
}
