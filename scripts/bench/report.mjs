// Makes the table of what was measured, and the page that keeps it.
import { availableParallelism, cpus } from 'node:os'

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
  const ends = [ms.ends, 'folders and both ends read']
  const within = (limitMs) => ({ limit: limitMs, text: `≤ ${limitMs} ms` })
  const times = (factor, [floor]) => ({ limit: factor * floor, text: `≤ ${factor} × floor` })
  const rows = [
    ['what', 'ours', 'floor', 'ratio', 'the floor is', 'goal', ''],
    row('full read with records, one core', ms.records, parse, times(1.3, parse)),
    row(`full read with records, ${all}`, ms.recordsAll, parseAll, times(1.3, parseAll)),
    row('facts of every log, one core', ms.facts, parse),
    row(`check of every log, ${all}`, ms.checkAll, parseAll),
    row(`list of ${sessions}, heads and tails`, ms.list, ends, within(100)),
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
Times are the shortest of ${rounds.long} rounds (${rounds.short} for lists and pages, 15 for \`--version\`, 3 for other commands), memory the highest of 3.

${table(floors)}

${table(rows)}
`
}

/** When and where a part was measured. */
export function measuredAt(load) {
  const machine = `${cpus()[0].model.trim()}, ${availableParallelism()} cores, load average ${load.toFixed(1)} at the start`
  return `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${machine}.`
}

const TITLES = {
  read: 'Reading',
  huge: 'One huge log',
  index: 'Index, search and usage',
  web: 'The web app',
  redact: 'Redaction',
  collect: 'Collecting',
}

/** The page of the documentation, of the parts by their names. */
export function page(parts) {
  const sections = [...parts].map(
    ([name, text]) => `## ${TITLES[name]}\n\n<!-- ${name} -->\n${text.trim()}\n<!-- /${name} -->\n`,
  )
  const text = sections.join('\n')
  return `# Benchmarks

Made by \`npm run bench -- --write\`, each part by itself (\`--only read,huge,index,web,redact,collect\`). A goal marked **missed** was not reached in that run.

${text}
## What is measured

- The roots are made up and the same in every run. Large: logs of 50 KB to 5 MB and one huge one, tool results twice in their rows, pictures, agents,
  forks. Small: logs of 20 to 300 KB in 17 projects. Both were just written, so no disk is waited for: a cold one is slower, for the floor too.
- A **floor** is what any program in Node has to do, measured in the same run with as many threads. Its rounds and ours take turns.
- **Full read with records**: every log through \`readLogFile\`, every byte accounted for, each record with its place. On all cores, starting the threads is part
  of both times. **Facts** adds what lists, trees and token counts need; **check** adds schemas, duplicate keys and parents.
- **List**: a new \`Library\`, its \`sessions()\`, \`glance\` and \`describeSession\` for each. **First and last records**: \`readHead\` and \`readTail\`, with opening the log.
- Commands are whole processes, from the start of Node to its end, with code that V8 has not optimised yet; peak memory is what the process itself reports (\`maxRSS\`).
- **Index, search and usage** have a root of their own, with short sessions and agents until it has 3,200 logs. The peer is fetched for the run and started as its native
  binary, \`claude daily --offline --json\` beside \`annals usage --by day --json\`. A cold build begins with an empty home of annals; warm commands follow \`annals index\`.
- **Searches** ask the index itself for 20 hits and their number, in a process that has it open. **Appended** lines count from the end of the write until a search in
  another process finds all five. **Patterns** are whole processes: \`search --regex\` beside \`rg --count\` with the same binary.
- Ours and the floor must have seen the same number of lines, records or sessions; otherwise there is no table.
`
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
