import { expect, test } from 'vitest'
import { freshPool } from './fresh-pool.ts'
import { NOTHING_SERVED, updateFrom } from './served-logs.ts'
import type { WorkerPool } from './worker-pool.ts'

const UPDATE = { kind: 'update', update: updateFrom(NOTHING_SERVED, NOTHING_SERVED) } as const
const NOTICED = { kind: 'noticed' } as const
const CHANGE = { kind: 'change', sessions: [] } as const

/** A fresh pool over one that notes what it is told and asked, and the names of what was answered. */
function noting() {
  const noted: string[] = []
  const pool: WorkerPool = {
    async ask({ op }) {
      noted.push(op)
      return { status: 200, body: new TextEncoder().encode(op) }
    },
    reload: () => void noted.push('reload'),
    close: async () => {},
  }
  const { ask, hear } = freshPool(pool)
  const asked = async (op: string) => new TextDecoder().decode((await ask({ op, input: {} })).body)
  return { noted, ask, asked, hear, later: () => new Promise((done) => setImmediate(done)) }
}

test('nothing is answered before it is known which logs there are', async () => {
  const { noted, asked, hear, later } = noting()
  const early = asked('early')
  await later()
  expect(noted).toEqual([])
  hear(UPDATE)
  expect(await early).toBe('early')
  expect(noted).toEqual(['reload', 'early'])
})

test('who asks after a change was noticed waits for it, who asked before does not', async () => {
  const { noted, asked, hear, later } = noting()
  hear(UPDATE)
  const before = asked('before')
  hear(NOTICED)
  const after = asked('after')
  hear(NOTICED)
  await later()
  expect(noted).toEqual(['reload', 'before'])
  // Changes that were noticed later hold up nobody who asked before them.
  hear(UPDATE)
  hear(CHANGE)
  expect([await before, await after]).toEqual(['before', 'after'])
  expect(noted).toEqual(['reload', 'before', 'reload', 'after'])
})

test('where nothing can be listed that is the answer, until it can be', async () => {
  const { asked, hear } = noting()
  const early = asked('early')
  hear({ kind: 'unavailable', answer: { status: 500, body: new TextEncoder().encode('no root') } })
  expect([await early, await asked('still')]).toEqual(['no root', 'no root'])
  hear(UPDATE)
  expect(await asked('later')).toBe('later')
})

test('what was just written to a log is read from it, and waits for nothing', async () => {
  const { noted, ask, asked, hear, later } = noting()
  hear(UPDATE)
  hear(NOTICED)
  const list = asked('list')
  await ask({ op: 'read', input: { session: 'a', offset: 5 } })
  expect(noted).toEqual(['reload', 'read'])
  hear({ kind: 'settled' })
  await list
  await later()
  expect(noted).toEqual(['reload', 'read', 'list'])
})

test('a writer that is lost holds up nobody', async () => {
  const { asked, hear } = noting()
  hear(UPDATE)
  hear(NOTICED)
  const waiting = asked('waiting')
  hear({ kind: 'unavailable', answer: { status: 500, body: new Uint8Array() } })
  expect(await waiting).toBe('waiting')
})
