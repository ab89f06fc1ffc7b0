import { count, mb, table } from './report.mjs'

/** The figures of ClickHouse as tables; a sentence where there is none. */
export function clickhouseReport(figures) {
  if (figures.missing !== undefined) return figures.missing
  const { rows, bytes, rounds, lines, tables, asked } = figures
  const [own] = lines
  const speed = ({ ms }) => [`${count((rows / ms) * 1000)} records/s`, `${count(bytes / 1e3 / ms)} MB/s`]
  const total = tables.reduce((sum, { size }) => sum + Number(size), 0)
  const each = (size) => `${count(Number(size) / rows)} bytes`
  return [
    `ClickHouse (chdb, in a process of its own, over HTTP), ${count(rows)} rows with ${mb(bytes)} of content, each batch waited for; the shortest of ${rounds}.`,
    '',
    table([
      ['what', 'records', 'content', "of the engine's own insert"],
      ...lines.map((line) => [line.what, ...speed(line), (own.ms / line.ms).toFixed(2)]),
    ]),
    '',
    `In the store: ${mb(total)}, ${each(total)} a record (${tables
      .slice(0, 3)
      .map(({ table: name, size }) => `${name} ${each(size)}`)
      .join(', ')}); ${count(bytes / rows)} bytes of content each came.`,
    '',
    'Questions, on made-up lines of responses (three for each, 3,000 people, 500 projects, a year) and a tenth as many texts of 60 words:',
    '',
    table([
      ['what', ...asked.map((one) => `${count(one.count)} lines`)],
      ...QUESTIONS.map(([what, key]) => [what, ...asked.map((one) => `${count(one[key])} ms`)]),
      [
        'in the store',
        ...asked.map(({ bytes: sizes }) => mb(Object.values(sizes).reduce((sum, size) => sum + size, 0))),
      ],
    ]),
  ].join('\n')
}

const QUESTIONS = [
  ['a month by day, from the sums of days', 'monthByDay'],
  ['a year by project, from the same', 'byProject'],
  ['a month by day, from the lines themselves', 'monthExact'],
  ['all responses, each once, from the lines', 'totalExact'],
  ['first page of a search for two words', 'search'],
  ['first page of a search for a phrase', 'phrase'],
  ['the sums of all days, made anew', 'dailyMs'],
]
