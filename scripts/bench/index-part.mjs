// Measures lists, sums, search and the index on three roots, beside what the machine and others need for the same.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rgPath } from '@vscode/ripgrep'
import { isMissed } from './goals.mjs'
import { COLD, PATTERNS, processRows, WARM, WARM_TEXT } from './index-goals.mjs'
import { measuredRoot } from './measured-root.mjs'
import { fetchPeer } from './peer.mjs'
import { takeTurns } from './run.mjs'
import { comparedTokens } from './tokens.mjs'

const ROUNDS = { cold: 3, warm: 7, regex: 5 }
const LOGS = { main: 950, wide: 3_200 }
const SMALL = { sessions: 20_000, rows: 8 }
const PEER_ARGS = ['claude', 'daily', '--offline', '--json']
const RIPGREP_ARGS = ['--no-config', '--no-ignore', '--hidden', '--text', '--count', '--glob', '*.jsonl']

/** Writes the roots and measures. Everything runs in child processes. */
export function measureIndex({ dir, dist, bytes }) {
  const [main, wide, small] = ['main', 'wide', 'small'].map((name) => measuredRoot(join(dir, name), dist))
  console.error('Writing three roots …')
  main.node(script('index-root'), dist, main.root, String(bytes), String(LOGS.main))
  wide.node(script('index-root'), dist, wide.root, String(bytes / 10), String(LOGS.wide))
  small.node(script('plain-root'), small.root, String(SMALL.sessions), String(SMALL.rows))
  const roots = [main, wide, small].map((one) => JSON.parse(one.floor('all').output))
  const { binary, missing } = fetchPeer(join(dir, 'peer'))

  console.error('Reading for the first time …')
  const cold = takeTurns(ROUNDS.cold, {
    floorOne: () => main.floor('one'),
    floorAll: () => main.floor('all'),
    ...(binary && { peer: () => main.program(binary, PEER_ARGS, { CLAUDE_CONFIG_DIR: main.root }) }),
    ...Object.fromEntries(Object.entries(COLD).map(([name, args]) => [name, () => main.cold(args)])),
  })
  const indexBytes = main.stateBytes()
  const tokens = comparedTokens({ kept: cold.usage, read: cold.unkept, peer: cold.peer, missing })

  console.error('Asking when nothing has changed …')
  wide.annals(COLD.index)
  const warm = askedAgain(main, { ...WARM, ...WARM_TEXT })
  const warmWide = askedAgain(wide, WARM)
  const many = takeTurns(ROUNDS.cold, {
    bare: () => small.node('-e', '0'),
    cold: () => small.cold(WARM.usage),
    warm: () => small.annals(WARM.usage),
  })

  console.error('Searching, and following …')
  const patterns = PATTERNS.map(({ pattern }) =>
    takeTurns(ROUNDS.regex, {
      ripgrep: () => main.program(rgPath, [...RIPGREP_ARGS, '-e', pattern, join(main.root, 'projects')]),
      ours: () => main.annals(['search', '--regex', pattern]),
    }),
  )
  const search = JSON.parse(main.node(script('searches'), join(dist, 'cli.cjs'), dir, main.root, main.state).output)

  const rows = processRows({ main, wide, small }, { roots, cold, warm, warmWide, many, patterns, missing })
  console.error('Looking where the time of missed goals goes …')
  const hot = rows.filter(isMissed).map(({ what, again }) => ({ what, where: again() }))
  const peaks = { index: cold.index.mb, small: many.cold.mb }
  return { roots, rounds: ROUNDS, rows, hot, search, indexBytes, peaks, tokens }
}

function askedAgain({ node, annals }, commands) {
  return takeTurns(ROUNDS.warm, {
    bare: () => node('-e', '0'),
    ...Object.fromEntries(Object.entries(commands).map(([name, args]) => [name, () => annals(args)])),
  })
}

function script(name) {
  return fileURLToPath(import.meta.resolve(`./${name}.mjs`))
}
