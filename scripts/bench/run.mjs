// Runs programs to their end and tells what they took: bash's own `time` knows the wall time and the processor time of all
// threads and of what they started, for ours and for others alike.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// What the program says on its standard error stays there; the times go to descriptor 3.
const TIMED = `TIMEFORMAT=' %3R %3U %3S'; exec 4>&2; { time "$@" 2>&4 4>&-; } 2>&3`

/** What runs programs with a home of their own, so that nothing of this machine's user is read or written. */
export function runner(dir) {
  const [home, state, peak] = ['home', 'state', 'peak.cjs'].map((name) => join(dir, name))
  const tell = `require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS))`
  mkdirSync(home, { recursive: true })
  writeFileSync(peak, `require('node:worker_threads').isMainThread && process.on('exit', () => ${tell})`)

  /** Runs a program to its end. It may tell its peak memory, in KiB, on descriptor 3. */
  function program(path, args, env = {}) {
    const { status, output, error } = spawnSync('bash', ['-c', TIMED, 'bash', path, ...args], {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
      maxBuffer: 1e9,
      env: { ...process.env, LC_ALL: 'C', HOME: home, USERPROFILE: home, ANNALS_HOME: state, ...env },
    })
    if (status !== 0) throw error ?? new Error(`${path} ${args.join(' ')} ended with ${status}.`)
    const [peakKib, wall, user, system] = String(output[3]).trimEnd().split(' ').map(Number)
    return {
      ms: wall * 1e3,
      cpuMs: (user + system) * 1e3,
      mb: (peakKib * 1024) / 1e6,
      output: String(output[1]),
    }
  }
  const node = (...args) => program(process.execPath, args)
  return { state, program, node, withPeak: (...args) => node('-r', peak, ...args) }
}

/** Does some things in turn: of each the shortest times and the highest peak, and what it said last. */
export function takeTurns(rounds, things) {
  const names = Object.keys(things)
  const runs = Array.from({ length: rounds }, () => names.map((name) => things[name]()))
  const best = (at) => ({
    ms: Math.min(...runs.map((run) => run[at].ms)),
    cpuMs: Math.min(...runs.map((run) => run[at].cpuMs)),
    mb: Math.max(...runs.map((run) => run[at].mb)),
    output: runs[rounds - 1][at].output,
  })
  return Object.fromEntries(names.map((name, at) => [name, best(at)]))
}
