import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stringAt } from '../../core/json.ts'
import { show } from '../../ops/show.ts'
import { log, root as newRoot } from '../../testing/index.ts'
import { openLibrary } from '../compose.ts'
import type { Context } from '../context.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-shown-point-'))
const made = log({ cwd: '/home/ana/api', seed: 'point' })
  .user('first')
  .tool('Bash', { command: 'npm test' }, { output: 'all green' })
  .assistant('Done.')
  .user('second')
  .assistant('Also done.')
const rows = made.rows()
const uuidOf = (at: number) => stringAt(rows[at], 'uuid') as string
let context: Context

beforeAll(() => {
  newRoot().add(made).write(folder)
  const nothing = () => {}
  const library = openLibrary([folder], nothing)
  context = {
    library,
    now: new Date(),
    cwd: '/',
    home: '/',
    currentSession: undefined,
    warn: nothing,
    progress: nothing,
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pointOf = async (point: string) => (await show.run(context, { session: `${made.sessionId}:${point}` })).point

test('a session alone has no point', async () => {
  expect((await show.run(context, { session: made.sessionId })).point).toBeNull()
})

test('a turn is opened at its prompt', async () => {
  const second = rows.findIndex((row) => JSON.stringify(row).includes('"second"'))
  expect(await pointOf('2')).toMatchObject({ turn: 2, uuid: uuidOf(second), line: second + 1 })
})

test('a row is opened where it stands, and the answer to a call names the call', async () => {
  const answer = rows.findIndex((row) => JSON.stringify(row).includes('all green'))
  const call = rows.findIndex((row) => JSON.stringify(row).includes('"tool_use"'))
  const id = /"id":"(toolu_[^"]+)"/.exec(JSON.stringify(rows[call]))?.[1]
  expect(await pointOf(uuidOf(answer).slice(0, 8))).toMatchObject({ turn: 1, uuid: uuidOf(answer), calls: [id] })
  expect(await pointOf(uuidOf(call))).toMatchObject({ turn: 1, uuid: uuidOf(call), calls: [id] })
})

test('a turn that there is not is refused', async () => {
  await expect(pointOf('9')).rejects.toThrow('There is no turn 9: this session has 2.')
})
