// Measures the index, search and usage on a root of their own, beside what the machine and others need for the same.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fetchPeer } from './peer.mjs'
import { runner, takeTurns } from './run.mjs'

const LOGS = 3_200
const PATTERN = 'turnstile counter drift at gate-[0-9]+'
const ROUNDS = { cold: 3, warm: 7, regex: 5 }

/** Writes the root and measures. Everything runs in child processes. */
export function measureIndex({ dir, dist, bytes }) {
  const here = (name) => fileURLToPath(new URL(name, import.meta.url))
  const root = join(dir, 'large')
  const { state, program, node, withPeak } = runner(dir)
  const annals = (...args) => withPeak(join(dist, 'cli.mjs'), ...args, '--root', root)
  const cold = (...args) => {
    rmSync(state, { recursive: true, force: true })
    return annals(...args)
  }
  console.error(`Writing ${LOGS} logs …`)
  node(here('index-root.mjs'), dist, root, String(bytes), String(LOGS))
  console.error('Fetching the peer …')
  const { binary, missing } = fetchPeer(join(dir, 'peer'))
  const peerDaily = ['claude', 'daily', '--offline', '--json']
  const peer = binary ? { peer: () => program(binary, peerDaily, { CLAUDE_CONFIG_DIR: root }) } : {}
  console.error('Building the index …')
  const builds = takeTurns(ROUNDS.cold, {
    floor: () => {
      const { output } = node(here('measure.mjs'), 'floor', dist, dir)
      return { ...JSON.parse(output), output }
    },
    ...peer,
    usage: () => annals('usage', '--by', 'day', '--no-index', '--json'),
    list: () => cold('sessions', '--full', '--json'),
    sums: () => cold('usage', '--by', 'total', '--json'),
    index: () => cold('index', '--json'),
  })
  const indexBytes = sizeOf(state)
  console.error('Asking when nothing has changed …')
  const warm = takeTurns(ROUNDS.warm, {
    bare: () => node('-e', '0'),
    ...peer,
    usage: () => annals('usage', '--by', 'day', '--json'),
    sessions: () => annals('sessions'),
    total: () => annals('usage', '--by', 'total'),
    status: () => annals('status'),
  })
  console.error('Searching, and following …')
  const search = JSON.parse(node(here('searches.mjs'), join(dist, 'cli.mjs'), dir, root, state).output)
  const ripgrep = ['--no-config', '--no-ignore', '--hidden', '--text', '--count', '-e', PATTERN]
  const regex = takeTurns(ROUNDS.regex, {
    ripgrep: () => program(search.rg, [...ripgrep, '--glob', '*.jsonl', join(root, 'projects')]),
    ours: () => annals('search', '--regex', PATTERN),
  })
  const { logs, lines, bytes: logBytes } = JSON.parse(builds.floor.output)
  const tokens = { ours: ourTokens(warm.usage), cold: ourTokens(builds.usage), peer: binary && peerTokens(warm.peer) }
  if (JSON.stringify(tokens.ours) !== JSON.stringify(tokens.cold)) throw new Error('With and without index differ.')
  return { logs, lines, logBytes, indexBytes, rounds: ROUNDS, builds, warm, search, regex, tokens, missing }
}

function ourTokens({ output }) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } =
    JSON.parse(output).total
  const cacheWriteTokens = cacheWrite5mTokens + cacheWrite1hTokens
  return { input: inputTokens, output: outputTokens, 'cache read': cacheReadTokens, 'cache write': cacheWriteTokens }
}

function peerTokens({ output }) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = JSON.parse(output).totals
  return { input: inputTokens, output: outputTokens, 'cache read': cacheReadTokens, 'cache write': cacheCreationTokens }
}

function sizeOf(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}
