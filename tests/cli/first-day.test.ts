import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import * as testing from '../../src/testing/index.ts'
import { type FirstDayTask, firstDayTasks, wordsOf, writeFirstDayRoot } from '../support/first-day.mjs'
import { temporaryFolder } from './annals.ts'
import { screensOf } from './screens-of.ts'

const folder = temporaryFolder()
const now = new Date()
afterAll(folder.remove)

/** Each task begins on a machine that annals has never run on. */
describe('on the first day', () => {
  test.each(firstDayTasks('ROOT', now).map(({ wants }, at) => [wants, at] as const))('%s', async (_, at) => {
    const place = join(folder.path, String(at))
    const root = join(place, 'root')
    mkdirSync(place)
    writeFirstDayRoot(testing, root, now, process.pid)
    const task = firstDayTasks(root, now)[at] as FirstDayTask
    const shown = await followed(task, place)
    expect(task.steps.length).toBeLessThanOrEqual(task.mostCommands)
    for (const wanted of task.shows) expect(shown).toMatch(wanted)
    if (!task.file) return
    const written = readFileSync(join(place, task.file.name), 'utf8')
    if (task.file.holds !== undefined) expect(written).toContain(task.file.holds)
    if (task.file.holdsNot !== undefined) expect(written).not.toContain(task.file.holdsNot)
  })
})

test('there are twelve', () => expect(firstDayTasks('ROOT', now)).toHaveLength(12))

/** What a terminal shows of the commands, one typed after the other. */
async function followed({ steps }: FirstDayTask, place: string): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', HOME: place, ANNALS_HOME: join(place, 'home') }
  let shown = ''
  let taken = ''
  for (const { types, takes } of steps) {
    const argv = wordsOf(types.replace('$1', taken))
    const [lines = []] = await screensOf([argv], { columns: 120, rows: 40 }, { cwd: place, env })
    const text = lines.map((line) => line.text).join('\n')
    shown += `${text}\n`
    if (takes) taken = takes.exec(text)?.[1] ?? ''
  }
  return shown
}
