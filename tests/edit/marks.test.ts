import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { annals } from '../cli/annals.ts'
import { type EditedRoot, editedRoot } from '../support/edited-root.ts'

let made: EditedRoot
beforeAll(() => {
  made = editedRoot()
})
afterAll(() => made.remove())

const run = (args: readonly string[], state = made.dataDir) =>
  annals([...args, '--root', made.root, '--json'], {
    env: { ANNALS_HOME: state, HOME: made.folder },
    cwd: made.project,
  })
const items = (args: readonly string[] = [], state?: string) =>
  JSON.parse(run(['sessions', ...args], state).stdout).items as { id: string; starred: boolean; note: string | null }[]

test('stars and notes are listed, filtered, and leave the root alone', () => {
  const before = made.picture()
  expect(run(['star', made.sessionId]).code).toBe(0)
  expect(run(['note', made.sessionId, 'the one with the mutex']).code).toBe(0)
  expect(items(['--starred'])).toMatchObject([{ id: made.sessionId, starred: true, note: 'the one with the mutex' }])
  expect(items()).toHaveLength(2)
  expect(made.picture()).toEqual(before)
})

test('a bundle carries them, its note without secrets; what was noted before is not replaced', () => {
  const token = `ghp_${'Zq7Xw9Kd2Lm4'.repeat(3)}`
  run(['star', made.sessionId])
  run(['note', made.sessionId, `needs ${token}`])
  const out = join(made.folder, 'sent.annals.gz')
  expect(run(['export', made.sessionId, '--to', 'bundle', '--out', out]).code).toBe(0)
  expect(readFileSync(out).length).toBeGreaterThan(0)
  const elsewhere = join(made.folder, 'elsewhere')
  expect(run(['import', out], elsewhere).code).toBe(0)
  const [mark] = items(['--starred'], elsewhere)
  expect(mark?.note).toMatch(/^needs \[REDACTED:/)
  run(['note', made.sessionId, 'my own'], elsewhere)
  expect(run(['import', out], elsewhere).code).toBe(0)
  expect(items(['--starred'], elsewhere)[0]?.note).toBe('my own')
})

test('both are taken away again', () => {
  run(['star', made.sessionId, '--remove'])
  run(['note', made.sessionId, '--clear'])
  expect(items(['--starred'])).toEqual([])
})
