// The commands that are measured on lists, sums, search and the index, each with its goal.
import { PEER } from './peer.mjs'
import { count } from './report.mjs'

/** Begun on an empty home. The last one leaves what the warm commands find. */
export const COLD = {
  unkept: ['usage', '--by', 'day', '--all', '--no-index', '--json'],
  sessions: ['sessions'],
  usage: ['usage', '--by', 'day', '--all', '--json'],
  index: ['index'],
}
export const WARM = { usage: ['usage'], sessions: ['sessions'], status: ['status'], statusline: ['statusline'] }
export const WARM_TEXT = { show: ['show', 'last'], search: ['search', 'turnstile'] }
/** All find the same prompts. */
export const PATTERNS = [
  { what: 'with a literal that must occur', pattern: 'turnstile counter drift at gate-[0-9]+', wall: 3 },
  { what: 'without one', pattern: '[a-z]{9}\\s[a-z]{7}\\s[a-z]{5}\\s[a-z]{2}\\s[a-z]{4}[^a-z][0-9]+', wall: 6 },
]

/** Some goals hold for a root of about a gigabyte. */
export function isGigabyte({ bytes }) {
  return bytes > 0.9e9
}

/** Rows of whole processes, as `processTable` takes them, each with how to look where its time goes. */
export function processRows({ main, wide, small }, { roots, cold, warm, warmWide, many, patterns, missing }) {
  const floor = { ms: cold.floorAll.ms, cpuMs: cold.floorOne.cpuMs }
  const first = (name, limits) => ({
    what: name === 'index' ? '`index` from nothing' : `first \`${name}\``,
    ours: cold[name],
    beside: floor,
    name: 'JSON.parse: wall on all cores, processor on one',
    limits: { way: 'times', ...limits },
    again: () => main.profile(COLD[name], true),
  })
  const again = (one, times, { logs }, commands, wall) =>
    Object.entries(commands).map(([name, args]) => ({
      what: `\`${args.join(' ')}\`, ${count(logs)} logs`,
      ours: times[name],
      beside: times.bare,
      name: '`node -e 0`',
      limits: { way: 'over', wall },
      again: () => one.profile(args),
    }))
  return [
    {
      what: '`usage --no-index`',
      ours: cold.unkept,
      beside: cold.peer,
      name: `\`${PEER}\``,
      limits: { way: 'speed', wall: isGigabyte(roots[0]) ? 1.6 : 1.1 },
      missing,
      again: () => main.profile(COLD.unkept),
    },
    first('sessions', { wall: 1.2, cpu: 1.2 }),
    first('usage', { wall: 1.2, cpu: 1.2 }),
    first('index', { wall: 7, cpu: 4 }),
    ...again(main, warm, roots[0], WARM, 80),
    ...again(wide, warmWide, roots[1], WARM, 130),
    ...again(main, warm, roots[0], WARM_TEXT, 100),
    ...PATTERNS.map(({ what, pattern, wall }, at) => ({
      what: `\`search --regex\`, ${what}`,
      ours: patterns[at].ours,
      beside: patterns[at].ripgrep,
      name: 'ripgrep, same files',
      limits: { way: 'times', wall },
      again: () => main.profile(['search', '--regex', pattern]),
    })),
    {
      what: `first \`usage\`, ${count(roots[2].logs)} small sessions`,
      ours: many.cold,
      limits: { way: 'within', wall: 2_000 },
      again: () => small.profile(WARM.usage, true),
    },
    ...again(small, many, roots[2], { warm: WARM.usage }, 200),
  ]
}
