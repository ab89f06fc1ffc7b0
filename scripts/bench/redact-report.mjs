import { count, mb, table } from './report.mjs'

const GOAL = 40

/** The figures of redaction as a table. */
export function redactReport({ rounds, lines, bytes, textBytes, ms }) {
  const speed = (size, name) => size / 1e3 / ms[name]
  const row = (what, size, name, goal) => {
    const got = speed(size, name)
    const beside = (got / speed(bytes, 'floor')).toFixed(2)
    return [what, `${count(got)} MB/s`, beside, goal, goal === '' ? '' : got >= GOAL ? 'met' : '**missed**']
  }
  const goal = `≥ ${GOAL} MB/s`
  return [
    `Clean logs, ${mb(bytes)} in ${count(lines)} lines, ${mb(textBytes)} of it text, on one core; the shortest of ${rounds} rounds. The floor is JSON.parse and JSON.stringify of every line, in this run.`,
    '',
    table([
      ['what', 'ours', 'of the floor', 'goal', ''],
      ['the floor', `${count(speed(bytes, 'floor'))} MB/s`, '1.00', '', ''],
      row('every text: `redactor.scan`', textBytes, 'text', goal),
      row('every parsed record: `redactor.value`', bytes, 'value', goal),
      row('a log from bytes to bytes: parsed, masked, written', bytes, 'whole', ''),
    ]),
    '',
  ].join('\n')
}
