import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Library } from '../disk/library.ts'
import { log } from '../testing/index.ts'
import { show } from './show.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-show-op-'))
const made = log({ seed: 'show' })
  .user('one')
  .assistant('first', { model: 'claude-opus-5-5' })
  .user('two')
  .assistant('second', { model: 'claude-haiku-4-5' })

beforeAll(() => made.write(folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function turnsOf(turns: string) {
  const library = new Library({ roots: [folder] })
  const now = new Date('2026-03-08T12:00:00Z')
  const context = { library, now, cwd: '/', home: '/', currentSession: undefined, warn: () => {}, progress: () => {} }
  const result = await show.run(context, { session: made.sessionId, turns })
  library.close()
  return result.turns
}

test('turns that there are not are refused, with those that there are', async () => {
  await expect(turnsOf('99')).rejects.toThrow('There is no turn 99: it has turns 1 to 2.')
  await expect(turnsOf('5..7')).rejects.toThrow('There are no turns 5..7: it has turns 1 to 2.')
  expect((await turnsOf('2')).map(({ number }) => number)).toEqual([2])
})

test('a turn names the models that answered in it', async () => {
  expect((await turnsOf('1..2')).map(({ models }) => models)).toEqual([['claude-opus-5-5'], ['claude-haiku-4-5']])
})
