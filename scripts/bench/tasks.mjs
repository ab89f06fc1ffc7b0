// Measures the tasks of a first day: how long each takes from a fresh home, beside as many starts of bare Node.
// node tasks.mjs DIST DIR
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { firstDayTasks, wordsOf, writeFirstDayRoot } from '../../tests/support/first-day.mjs'

const ROUNDS = 3
const [dist, dir] = process.argv.slice(2).map((path) => resolve(path))
const testing = await import(pathToFileURL(join(dist, 'testing.mjs')).href)
const now = new Date()
const place = join(dir, 'first-day')
const root = join(place, 'root')

const tasks = firstDayTasks(root, now).map((task) => {
  const times = Array.from({ length: ROUNDS }, () => freshly(() => timeOf(task.steps)))
  const bare = Array.from({ length: ROUNDS }, () => timeOf(task.steps.map(() => undefined)))
  return { wants: task.wants, commands: task.steps.length, ours: Math.min(...times), bare: Math.min(...bare) }
})
process.stdout.write(JSON.stringify({ tasks }))

/** On a machine that annals has never run on. */
function freshly(measured) {
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  writeFirstDayRoot(testing, root, now, process.pid)
  return measured()
}

/** How long the commands take, one after the other; bare Node where there is none. */
function timeOf(steps) {
  const env = { PATH: process.env.PATH, HOME: place, ANNALS_HOME: join(place, 'home'), TZ: 'UTC' }
  let taken = ''
  let sum = 0
  for (const step of steps) {
    const argv = step ? [join(dist, 'cli.cjs'), ...wordsOf(step.types.replace('$1', taken))] : ['-e', '0']
    const start = performance.now()
    const { stdout } = spawnSync(process.execPath, argv, { env, cwd: place, encoding: 'utf8' })
    sum += performance.now() - start
    if (step?.takes) taken = step.takes.exec(stdout)?.[1] ?? ''
  }
  return sum
}
