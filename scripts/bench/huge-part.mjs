// Measures commands on one huge log, each on an empty home.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { measuredRoot } from './measured-root.mjs'

const WRITE = fileURLToPath(import.meta.resolve('./plain-root.mjs'))
const SIZES = [
  {
    rows: 200_000,
    limitMb: 400,
    commands: [
      'index',
      'usage',
      'show last',
      'show last --turns 1',
      'search words',
      'tree last',
      'tail last',
      'outline last',
      'sessions',
    ],
  },
  {
    rows: 1_000_000,
    limitMb: 1_500,
    commands: [
      'index',
      'usage',
      'show last',
      'show last --turns 1',
      'search words',
      'tree last',
      'tail last',
      'outline last',
      'sessions',
      'check',
    ],
  },
]

/** Of each size what its commands took; the logs are removed. */
export function measureHuge({ dir, dist }) {
  return SIZES.map(({ rows, limitMb, commands }) => {
    const one = measuredRoot(join(dir, String(rows)), dist)
    one.node(WRITE, one.root, '1', String(rows))
    const { bytes } = JSON.parse(one.floor('one').output)
    const runs = commands.map((command) => ({ command, ...one.cold(command.split(' ')) }))
    rmSync(one.root, { recursive: true })
    return { rows, bytes, limitMb, runs }
  })
}
