// Runs programs to their end and tells what they took.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What runs programs with a home of their own, so that nothing of this machine's user is read or written. */
export function runner(dir) {
  const [home, state, peak] = ['home', 'state', 'peak.cjs'].map((name) => join(dir, name))
  const tell = `require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS))`
  mkdirSync(home, { recursive: true })
  writeFileSync(peak, `require('node:worker_threads').isMainThread && process.on('exit', () => ${tell})`)

  /** Runs a program to its end. It may tell its peak memory, in KiB, on descriptor 3. */
  function program(path, args, env = {}) {
    const start = performance.now()
    const { status, output } = spawnSync(path, args, {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
      maxBuffer: 1e9,
      env: { ...process.env, HOME: home, USERPROFILE: home, ANNALS_HOME: state, ...env },
    })
    const ms = performance.now() - start
    if (status !== 0) throw new Error(`${path} ${args.join(' ')} ended with ${status}.`)
    return { ms, output: String(output[1]), mb: (Number(output[3]) * 1024) / 1e6 }
  }
  const node = (...args) => program(process.execPath, args)
  return { state, program, node, withPeak: (...args) => node('-r', peak, ...args) }
}

/** Does some things in turn: of each the shortest time and the highest peak, and what it said last. */
export function takeTurns(rounds, things) {
  const names = Object.keys(things)
  const runs = Array.from({ length: rounds }, () => names.map((name) => things[name]()))
  const best = (at) => ({
    ms: Math.min(...runs.map((run) => run[at].ms)),
    mb: Math.max(...runs.map((run) => run[at].mb)),
    output: runs[rounds - 1][at].output,
  })
  return Object.fromEntries(names.map((name, at) => [name, best(at)]))
}
