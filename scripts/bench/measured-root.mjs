// A root with a home of annals of its own, and the commands that are measured on it.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hottest } from './hottest.mjs'
import { runner } from './run.mjs'

const FLOOR = fileURLToPath(import.meta.resolve('./floor.mjs'))

/** The root lies in `dir`, beside its home; somebody else writes it. */
export function measuredRoot(dir, dist) {
  const cli = join(dist, 'cli.cjs')
  const root = join(dir, 'root')
  const { state, program, node, withPeak } = runner(dir)
  const forget = () => rmSync(state, { recursive: true, force: true })
  let profiles = 0
  return {
    root,
    state,
    program,
    node,
    annals: (args) => node(cli, ...args, '--root', root),
    /** On an empty home, with the peak of its memory. */
    cold: (args) => {
      forget()
      return withPeak(cli, ...args, '--root', root)
    },
    /** JSON.parse of every line, on `one` core or on `all`. */
    floor: (cores) => node(FLOOR, cores, join(root, 'projects')),
    /** Where the time of one more run goes. */
    profile: (args, isCold) => {
      if (isCold) forget()
      const folder = join(dir, `profile-${profiles++}`)
      node('--cpu-prof', '--cpu-prof-dir', folder, cli, ...args, '--root', root)
      return hottest(folder)
    },
    stateBytes: () => readdirSync(state).reduce((sum, name) => sum + statSync(join(state, name)).size, 0),
  }
}
