// Makes the table of what was measured of the index, search and usage. A goal that was missed has its reason beside it.
import { PEER } from './peer.mjs'
import { count, mb, table, time } from './report.mjs'

/** The table, with on what it was measured. */
export function indexReport(part) {
  const rows = [...usageRows(part), ...buildRows(part), ...warmRows(part), ...searchRows(part), ...sizeRows(part)]
  const { rounds, search } = part
  return `## Index, search and usage

Root: ${mb(part.logBytes)} in ${count(part.logs)} logs of ${count(part.lines)} lines. The floor is JSON.parse of every line on all cores, in this run.
Times are the shortest of ${rounds.cold} rounds for cold runs, ${rounds.warm} for warm ones, ${rounds.regex} for patterns, ${search.rounds} for searches in one process; of appends the median of ${search.appended.count}. Tokens: ${tokensText(part)}.

${table([['what', 'ours', 'beside', 'ratio', 'beside what', 'goal', '', 'why missed'], ...rows])}
`
}

function usageRows({ builds, warm, missing }) {
  const peer = `\`${PEER}\``
  if (missing !== undefined) {
    const none = (what, { ms }, goal) => [what, time(ms), '', '', peer, goal, 'not measured', missing]
    return [
      none('`annals usage --no-index`', builds.usage, '≥ 2 × faster'),
      none('`annals usage`, nothing changed', warm.usage, '≥ 10 × faster'),
    ]
  }
  return [
    faster('`annals usage --no-index`', builds.usage.ms, [builds.peer.ms, peer], 2, [
      `every row is folded for lists, trees and prices as well; reading alone has a floor of ${time(builds.floor.ms)}`,
    ]),
    faster('`annals usage`, nothing changed', warm.usage.ms, [warm.peer.ms, peer], 10, [
      `bare Node takes ${time(warm.bare.ms)} of it; a smaller root makes this harder, a larger one easier`,
    ]),
  ]
}

function buildRows({ builds, indexBytes, lines }) {
  const floor = [builds.floor.ms, 'the floor']
  const folding = 'folding and keeping the rows comes on top of parsing them'
  return [
    within('list of a cold build: `annals sessions --full`', builds.list.ms, floor, 1.5, folding),
    within('sums of a cold build: `annals usage --by total`', builds.sums.ms, floor, 1.5, folding),
    within('full text index: `annals index`', builds.index.ms, floor, 5, [
      `one thread writes all ${mb(indexBytes)} of ${count(lines)} lines, the others only read`,
    ]),
  ]
}

function warmRows({ warm, logs, search }) {
  const why = `looking at every log takes ${time(search.lookMs)} in a warmed-up process; loading our code and the answer are the rest`
  const row = (command, { ms }) => {
    const goal = '≤ 100 ms over it'
    const over = ms - warm.bare.ms
    return [`\`annals ${command}\`, nothing changed in ${count(logs)} logs`, ms, over, goal, over <= 100]
  }
  return [row('sessions', warm.sessions), row('usage --by total', warm.total), row('status', warm.status)].map(
    ([what, ms, over, goal, isMet]) => {
      const ratio = (ms / warm.bare.ms).toFixed(2)
      return [
        what,
        time(ms),
        time(warm.bare.ms),
        ratio,
        '`node -e 0`',
        goal,
        ...verdict(isMet, `${time(over)} over it: ${why}`),
      ]
    },
  )
}

function searchRows({ search, regex, warm, logs }) {
  const { searches, appended, lookMs } = search
  const names = { word: 'word', phrase: 'phrase', common: 'common word' }
  const found = Object.entries(searches).flatMap(([name, { total, bestMs, newestMs }]) => {
    const what = `${names[name]} with ${count(total)} hits`
    return [
      limited(`${what}, best first`, bestMs, 20, 'every hit is counted and ranked before the first is shown'),
      limited(`${what}, newest first`, newestMs, 5, 'every hit is counted, copies once, before the first is shown'),
    ]
  })
  const ripgrep = [regex.ripgrep.ms, 'ripgrep, same files']
  return [
    ...found,
    within('`annals search --regex`', regex.ours.ms, ripgrep, 2, [
      `bare Node takes ${time(warm.bare.ms)} of it; the ends of all ${count(logs)} logs are read to know whose they are`,
    ]),
    limited(`${appended.lines} appended lines searchable, following`, appended.ms, 20, [
      `10 ms are waited for more, and looking at all ${count(logs)} logs takes ${time(lookMs)}; the longest was ${time(appended.longestMs)}`,
    ]),
  ]
}

function sizeRows({ indexBytes, logBytes, builds }) {
  const share = indexBytes / logBytes
  const why = 'small logs cost more than their bytes: each has facts, cursors and rows of its own'
  const goal = verdict(share <= 0.15, why)
  const peak = verdict(
    builds.index.mb <= 450,
    'each thread holds a stretch of a log, and the writer what is not committed',
  )
  return [
    ['index on disk', mb(indexBytes), mb(logBytes), share.toFixed(2), 'the logs', '≤ 15 %', ...goal],
    ['peak memory of `annals index`', mb(builds.index.mb * 1e6), '', '', '', '≤ 450 MB', ...peak],
  ]
}

function faster(what, ours, [theirs, name], factor, why) {
  const times = theirs / ours
  const goal = `≥ ${factor} × faster`
  return [what, time(ours), time(theirs), (ours / theirs).toFixed(2), name, goal, ...verdict(times >= factor, why)]
}

function within(what, ours, [floor, name], factor, why) {
  const goal = `≤ ${factor} × it`
  return [what, time(ours), time(floor), (ours / floor).toFixed(2), name, goal, ...verdict(ours <= factor * floor, why)]
}

function limited(what, ms, limitMs, why) {
  return [what, time(ms), '', '', '', `≤ ${limitMs} ms`, ...verdict(ms <= limitMs, why)]
}

function verdict(isMet, why) {
  return isMet ? ['met', ''] : ['**missed**', String(why)]
}

/** Whether the peer counts the same. */
function tokensText({ tokens: { ours, peer }, missing }) {
  if (missing !== undefined) return `not compared, since there was no ${PEER}: ${missing}`
  const kinds = Object.keys(ours)
  const same = kinds.filter((kind) => ours[kind] === peer[kind])
  if (same.length === kinds.length) return `the same as ${PEER} counts, of all ${kinds.length} kinds`
  const differing = kinds.filter((kind) => !same.includes(kind))
  const told = differing.map((kind) => `${kind} ${count(ours[kind])} here and ${count(peer[kind])} there`)
  const reason =
    differing.join() === 'cache write'
      ? ' (rows whose cache writes are not told apart by how long they are kept: ours counts their sum, the peer the parts)'
      : ''
  return `of ${PEER} and ours the same but for ${told.join(', ')}${reason}`
}
