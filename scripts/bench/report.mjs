// Makes the table of what was measured of reading, and what all tables are made of.
import { availableParallelism, cpus, loadavg } from 'node:os'

/** The table, with where and on what it was measured. */
export function report({ ms, rounds, processes, ...root }) {
  const { bare, version, read, list, full, warm, check } = processes
  const cores = availableParallelism()
  const all = `all ${cores} cores`
  const sessions = `${count(root.sessions)} sessions`
  const speed = (name) => `${count(root.bytes / 1e3 / ms[name])} MB/s`
  const floors = [
    ['floor', 'time', 'speed'],
    ['read every byte into one buffer', time(ms.read), speed('read')],
    ['and find the newlines', time(ms.scan), speed('scan')],
    ['and JSON.parse each line, one core', time(ms.parse), speed('parse')],
    [`the same, ${all}`, time(ms.parseAll), speed('parseAll')],
  ]
  const bareNode = [bare.ms, '`node -e 0`']
  const parse = [ms.parse, 'JSON.parse, one core']
  const parseAll = [ms.parseAll, `JSON.parse, ${all}`]
  const within = (limitMs) => ({ limit: limitMs, text: `≤ ${limitMs} ms` })
  const times = (factor, [floor]) => ({ limit: factor * floor, text: `≤ ${factor} × floor` })
  const rows = [
    ['what', 'ours', 'floor', 'ratio', 'the floor is', 'goal', ''],
    row('full read with records, one core', ms.records, parse, times(1.3, parse)),
    row(`full read with records, ${all}`, ms.recordsAll, parseAll, times(1.3, parseAll)),
    row(`first 50 records of ${mb(root.huge)}`, ms.head, [ms.headFloor, 'JSON.parse, same lines'], within(10)),
    row(`last 50 records of ${mb(root.huge)}`, ms.tail, [ms.tailFloor, 'JSON.parse, same lines'], within(10)),
    row('`annals --version`', version.ms, bareNode, { limit: bare.ms + 30, text: '≤ floor + 30 ms' }),
    row(`\`annals sessions --json\`, ${sessions}`, list.ms, bareNode),
    row('`annals sessions --full --json`', full.ms, parse),
    row('the same, facts kept from before', warm.ms, parse),
    row('`annals check --json`', check.ms, parseAll),
    memory('peak memory of a full read', read),
    memory(`peak memory of \`sessions\`, ${sessions}`, list),
    memory('peak memory of `sessions --full`', full),
    memory('peak memory of `check`', check),
  ]
  return `Large root: ${mb(root.bytes)} in ${root.logs} logs of ${count(root.lines)} lines. Small root: ${sessions}. The page cache is warm.
Times are the shortest of ${rounds.long} rounds (${rounds.short} for pages, 15 for \`--version\`, 3 for other commands), memory the highest of 3.

${table(floors)}

${table(rows)}
`
}

/** When and where a part was measured; asked when it is done. */
export function measuredAt(loadBefore) {
  const load = `load average ${loadBefore.toFixed(1)} at the start, ${loadavg()[0].toFixed(1)} at the end`
  const machine = `${cpus()[0].model.trim()}, ${availableParallelism()} cores, ${load}`
  return `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${machine}.`
}

function row(what, ours, [floor, against], goal) {
  return [what, time(ours), time(floor), (ours / floor).toFixed(2), against, ...verdict(ours, goal)]
}

function memory(what, process) {
  return [what, mb(process.mb * 1e6), '', '', '', ...verdict(process.mb, { limit: 250, text: '≤ 250 MB' })]
}

function verdict(ours, goal) {
  return goal ? [goal.text, ours <= goal.limit ? 'met' : '**missed**'] : ['', '']
}

/** Milliseconds, for people. */
export function time(ms) {
  return `${ms < 10 ? ms.toFixed(1) : count(ms)} ms`
}

/** Bytes, in megabytes, for people. */
export function mb(bytes) {
  return `${count(bytes / 1e6)} MB`
}

/** A number, for people. */
export function count(number) {
  return Math.round(number).toLocaleString('en')
}

/** A Markdown table that is as readable on a terminal. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)))
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  const [head, ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
