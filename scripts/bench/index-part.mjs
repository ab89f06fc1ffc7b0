// Measures the index, search and usage on a root of their own, beside what the machine and others need for the same.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hottest } from './hottest.mjs'
import { fetchPeer } from './peer.mjs'
import { runner, takeTurns } from './run.mjs'

const LOGS = 3_200
const PATTERN = 'turnstile counter drift at gate-[0-9]+'
const COMMANDS = {
  usage: ['usage', '--by', 'day', '--json'],
  sessions: ['sessions'],
  total: ['usage', '--by', 'total'],
  status: ['status'],
  regex: ['search', '--regex', PATTERN],
  coldUsage: ['usage', '--by', 'day', '--no-index', '--json'],
  list: ['sessions', '--full', '--json'],
  sums: ['usage', '--by', 'total', '--json'],
  index: ['index', '--json'],
}
const COLD = new Set(['list', 'sums', 'index'])
const ROUNDS = { cold: 3, warm: 7, regex: 5 }

const makeRoot = fileURLToPath(import.meta.resolve('./index-root.mjs'))
const measure = fileURLToPath(import.meta.resolve('./measure.mjs'))
const searches = fileURLToPath(import.meta.resolve('./searches.mjs'))

/** Writes the root and measures. Everything runs in child processes. */
export function measureIndex({ dir, dist, bytes }) {
  const root = join(dir, 'large')
  const cli = join(dist, 'cli.mjs')
  const { state, program, node, withPeak } = runner(dir)
  const annals = (args) => withPeak(cli, ...args, '--root', root)
  const cold = (args) => {
    rmSync(state, { recursive: true, force: true })
    return annals(args)
  }
  console.error(`Writing ${LOGS} logs …`)
  node(makeRoot, dist, root, String(bytes), String(LOGS))
  console.error('Fetching the peer …')
  const { binary, missing } = fetchPeer(join(dir, 'peer'))
  const peerDaily = ['claude', 'daily', '--offline', '--json']
  const peer = binary ? { peer: () => program(binary, peerDaily, { CLAUDE_CONFIG_DIR: root }) } : {}
  console.error('Building the index …')
  const builds = takeTurns(ROUNDS.cold, {
    floor: () => {
      const { output } = node(measure, 'floor', dist, dir)
      return { ...JSON.parse(output), output }
    },
    ...peer,
    usage: () => annals(COMMANDS.coldUsage),
    list: () => cold(COMMANDS.list),
    sums: () => cold(COMMANDS.sums),
    index: () => cold(COMMANDS.index),
  })
  const indexBytes = sizeOf(state)
  console.error('Asking when nothing has changed …')
  const warm = takeTurns(ROUNDS.warm, {
    bare: () => node('-e', '0'),
    ...peer,
    usage: () => annals(COMMANDS.usage),
    sessions: () => annals(COMMANDS.sessions),
    total: () => annals(COMMANDS.total),
    status: () => annals(COMMANDS.status),
  })
  console.error('Searching, and following …')
  const search = JSON.parse(node(searches, cli, dir, root, state).output)
  const ripgrep = ['--no-config', '--no-ignore', '--hidden', '--text', '--count', '-e', PATTERN]
  const regex = takeTurns(ROUNDS.regex, {
    ripgrep: () => program(search.rg, [...ripgrep, '--glob', '*.jsonl', join(root, 'projects')]),
    ours: () => annals(COMMANDS.regex),
  })
  console.error('Looking where the time goes …')
  const profiles = Object.entries(COMMANDS).map(([name, args]) => {
    if (COLD.has(name)) rmSync(state, { recursive: true, force: true })
    const folder = join(dir, 'profiles', name)
    node('--cpu-prof', '--cpu-prof-dir', folder, cli, ...args, '--root', root)
    return [name, hottest(folder)]
  })
  const { logs, lines, bytes: logBytes } = JSON.parse(builds.floor.output)
  const tokens = { ours: ourTokens(warm.usage), cold: ourTokens(builds.usage), peer: binary && peerTokens(warm.peer) }
  if (JSON.stringify(tokens.ours) !== JSON.stringify(tokens.cold)) throw new Error('With and without index differ.')
  const hot = Object.fromEntries(profiles)
  return { logs, lines, logBytes, indexBytes, rounds: ROUNDS, builds, warm, search, regex, hot, tokens, missing }
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
