// Makes the table of what was measured of the index, search and usage. Beside a missed goal stands where the time went.
import { PEER } from './peer.mjs'
import { count, mb, table, time } from './report.mjs'

/** The table, with on what it was measured. */
export function indexReport(part) {
  const rows = [...usageRows(part), ...buildRows(part), ...warmRows(part), ...searchRows(part), ...sizeRows(part)]
  const { rounds, search } = part
  return `Root: ${mb(part.logBytes)} in ${count(part.logs)} logs of ${count(part.lines)} lines. The floor is JSON.parse of every line on all cores, in this run.
Times are the shortest of ${rounds.cold} rounds for cold runs, ${rounds.warm} for warm ones, ${rounds.regex} for patterns, ${search.rounds} for searches in one process; of appends the median of ${search.appended.count}.
Where a goal is missed and the reason is a list of functions, it is where all threads of that command were, by V8's own profile of one more run.
Tokens: ${tokensText(part)}.

${table([['what', 'ours', 'beside', 'ratio', 'beside what', 'goal', '', 'why missed'], ...rows])}
`
}

function usageRows({ builds, warm, hot, missing }) {
  const peer = `\`${PEER}\``
  const [cold, again] = ['`annals usage --no-index`', '`annals usage`, nothing changed']
  if (missing !== undefined) {
    const none = (what, { ms }, goal) => [what, time(ms), '', '', peer, goal, 'not measured', missing]
    return [none(cold, builds.usage, '≥ 2 × faster'), none(again, warm.usage, '≥ 10 × faster')]
  }
  return [
    faster(cold, builds.usage, [builds.peer.ms, peer], 2, hot.coldUsage),
    faster(again, warm.usage, [warm.peer.ms, peer], 10, `bare Node is ${time(warm.bare.ms)} of it; ${hot.usage}`),
  ]
}

function buildRows({ builds, hot }) {
  const floor = [builds.floor.ms, 'the floor']
  return [
    within('list of a cold build: `annals sessions --full`', builds.list, floor, 1.5, hot.list),
    within('sums of a cold build: `annals usage --by total`', builds.sums, floor, 1.5, hot.sums),
    within('full text index: `annals index`', builds.index, floor, 5, hot.index),
  ]
}

function warmRows({ warm, hot, logs }) {
  const row = (name, args) => {
    const { ms } = warm[name]
    const over = ms - warm.bare.ms
    const what = `\`annals ${args}\`, nothing changed in ${count(logs)} logs`
    const beside = [time(warm.bare.ms), (ms / warm.bare.ms).toFixed(2), '`node -e 0`', '≤ 100 ms over it']
    return [what, time(ms), ...beside, ...verdict(over <= 100, `${time(over)} over it; ${hot[name]}`)]
  }
  return [row('sessions', 'sessions'), row('total', 'usage --by total'), row('status', 'status')]
}

function searchRows({ search, regex, warm, hot, logs }) {
  const { searches, appended, lookMs } = search
  const names = { word: 'word', phrase: 'phrase', common: 'common word' }
  const found = Object.entries(searches).flatMap(([name, { total, bestMs, newestMs }]) => {
    const what = `${names[name]} with ${count(total)} hits`
    const why = 'all hits are counted, copies once, before the first is told'
    return [limited(`${what}, best first`, bestMs, 20, why), limited(`${what}, newest first`, newestMs, 5, why)]
  })
  const looking = `to look at all ${count(logs)} logs takes ${time(lookMs)}, and the longest of all was ${time(appended.longestMs)}`
  const ripgrep = [regex.ripgrep.ms, 'ripgrep, same files']
  return [
    ...found,
    within('`annals search --regex`', regex.ours, ripgrep, 2, `bare Node is ${time(warm.bare.ms)} of it; ${hot.regex}`),
    limited(`${appended.lines} appended lines searchable, following`, appended.ms, 20, looking),
  ]
}

function sizeRows({ indexBytes, logBytes, builds, search }) {
  const share = indexBytes / logBytes
  const parts = search.tables.map(({ name, bytes }) => `\`${name}\` ${mb(bytes)}`).join(', ')
  const threads = 'this counts all threads, each with a heap of its own'
  return [
    [
      'index on disk',
      mb(indexBytes),
      mb(logBytes),
      share.toFixed(2),
      'the logs',
      '≤ 15 %',
      ...verdict(share <= 0.15, parts),
    ],
    [
      'peak memory of `annals index`',
      mb(builds.index.mb * 1e6),
      '',
      '',
      '',
      '≤ 450 MB',
      ...verdict(builds.index.mb <= 450, threads),
    ],
  ]
}

function faster(what, { ms: ours }, [theirs, name], factor, why) {
  const times = theirs / ours
  const goal = `≥ ${factor} × faster`
  return [what, time(ours), time(theirs), (ours / theirs).toFixed(2), name, goal, ...verdict(times >= factor, why)]
}

function within(what, { ms: ours }, [floor, name], factor, why) {
  const goal = `≤ ${factor} × it`
  return [what, time(ours), time(floor), (ours / floor).toFixed(2), name, goal, ...verdict(ours <= factor * floor, why)]
}

function limited(what, ms, limitMs, why) {
  return [what, time(ms), '', '', '', `≤ ${limitMs} ms`, ...verdict(ms <= limitMs, why)]
}

function verdict(isMet, why) {
  return isMet ? ['met', ''] : ['**missed**', why]
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
      ? ' (rows that name a sum of cache writes and 0 for each of its parts: ours takes the sum, the peer the parts)'
      : ''
  return `of ${PEER} and ours the same but for ${told.join(', ')}${reason}`
}
