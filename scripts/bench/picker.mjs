// Measures the picker on a root of 2,000 sessions: the first frame, the whole list, and how long a key takes to its frame.
// node picker.mjs DIST DIR
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { quantile, sessionsRoot } from './many-sessions.mjs'

const SESSIONS = 2000
const SLOWEST_START_MS = 60_000
const SLOWEST_FRAME_MS = 2000
const [dist, dir] = process.argv.slice(2).map((path) => resolve(path))
const root = join(dir, 'many-sessions')
const env = { ...process.env, ANNALS_HOME: join(dir, 'picker-home'), TERM: 'xterm-256color', TZ: 'UTC' }
const cli = join(dist, 'cli.cjs')
const { log, root: newRoot } = await import(pathToFileURL(join(dist, 'testing.mjs')).href)
sessionsRoot(root, SESSIONS, { log, newRoot })
await once(spawn(process.execPath, [cli, 'index', '--root', root], { env, stdio: 'ignore' }), 'close')

const rounds = []
for (let round = 0; round < 3; round++) rounds.push({ ...(await oneRound()), bare: await bareNode() })
const least = (name) => Math.min(...rounds.map((one) => one[name]))
const keys = rounds.flatMap((one) => one.keys)
const unanswered = rounds.reduce((sum, one) => sum + one.unanswered, 0)
process.stdout.write(
  JSON.stringify({
    sessions: SESSIONS,
    first: least('first'),
    page: least('page'),
    listed: least('listed'),
    median: quantile(keys, 0.5),
    slowest: quantile(keys, 0.95),
    pressed: keys.length + unanswered,
    unanswered,
    bare: least('bare'),
  }),
)

/** Starts the picker in a terminal, waits for its list, types and moves, and leaves. */
async function oneRound() {
  const start = performance.now()
  const command = `stty rows 40 cols 120; exec '${process.execPath}' '${cli}' --root '${root}'`
  const child = spawn('script', ['-qec', command, '/dev/null'], { env, cwd: dir })
  child.stdout.setEncoding('utf8')
  let seen = ''
  let wake = () => {}
  child.stdout.on('data', (text) => {
    seen += text
    wake()
  })
  let hasEnded = false
  child.on('close', () => {
    hasEnded = true
    wake()
  })
  /** When it was there; `undefined` where it is not in time: a key that changes nothing draws no frame. */
  const until = async (isThere, most) => {
    const late = setTimeout(() => wake('late'), most)
    try {
      while (!isThere(seen)) {
        if (hasEnded) throw new Error(`The picker ended by itself: ${seen}`)
        if ((await new Promise((go) => (wake = go))) === 'late') return undefined
      }
      return performance.now()
    } finally {
      clearTimeout(late)
    }
  }
  const listedBy = async (isThere) => {
    const at = await until(isThere, SLOWEST_START_MS)
    if (at === undefined) throw new Error(`The picker shows no list after ${SLOWEST_START_MS / 1000} s: ${seen}`)
    return at - start
  }
  const first = await listedBy((text) => text.includes('›'))
  const page = await listedBy((text) => text.includes('▌'))
  const listed = await listedBy((text) => text.includes('2,000 sessions'))
  const keys = []
  let unanswered = 0
  // Letters, moves, words taken back: what is found meanwhile is drawn in between, as it is for a person.
  for (const key of [
    ...'refresh token',
    '\u001b[B',
    '\u001b[B',
    '\u001b[6~',
    '\u0017',
    ...'race since:30d',
    '\u0015',
  ]) {
    await new Promise((go) => setTimeout(go, 60))
    seen = ''
    const pressed = performance.now()
    child.stdin.write(key)
    const drawn = await until((text) => text !== '', SLOWEST_FRAME_MS)
    if (drawn === undefined) unanswered++
    else keys.push(drawn - pressed)
  }
  child.stdin.write('\u0003')
  await once(child, 'close')
  return { first, page, listed, keys, unanswered }
}

/** In every round, so that both are measured at the same load. */
async function bareNode() {
  const start = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { env }), 'close')
  return performance.now() - start
}
