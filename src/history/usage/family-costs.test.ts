import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Library } from '../../disk/library.ts'
import { agents } from '../../ops/agents.ts'
import { sessions } from '../../ops/sessions.ts'
import { show } from '../../ops/show.ts'
import { usage } from '../../ops/usage.ts'
import { type AnswerOptions, log, root as newRoot, writeDemoRoot } from '../../testing/index.ts'
import type { Context } from '../context.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-costs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function contextOf(root: string): Context {
  const now = new Date('2026-03-08T12:00:00Z')
  const place = { cwd: folder, home: folder, currentSession: undefined }
  return { library: new Library({ roots: [root] }), now, ...place, warn: () => {}, progress: () => {} }
}

const tokens = {
  inputTokens: 1000,
  outputTokens: 100,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
}
/** 1000 × 4 + 100 × 20 millionths of a dollar. */
const SIX: AnswerOptions = { model: 'claude-opus-5-5', usage: tokens }

test('a session in a list costs what usage says, in whole and in its own part', async () => {
  const root = mkdtempSync(join(folder, 'demo-'))
  writeDemoRoot(root, new Date('2026-03-08T12:00:00Z'))
  const context = contextOf(root)
  const { rows } = await usage.run(context, { all: true, by: 'session' })
  const { items } = await sessions.run(context, { full: true, all: true })
  for (const row of rows) {
    const item = items.find(({ id }) => id === row.key)
    expect(item?.costUsd, row.key).toBeCloseTo(row.costUsd ?? -1, 9)
    expect(item?.ownCostUsd, row.key).toBeCloseTo(row.ownCostUsd ?? -1, 9)
  }
})

test('a turn costs what it and its agents spent; a branch does not pay for what it copied', async () => {
  const root = mkdtempSync(join(folder, 'root-'))
  const origin = log({ seed: 'a', sessionId: 'aaaaaaaa-0000-4000-8000-000000000001' })
    .user('one')
    .assistant('first', SIX)
    .user('two')
    .subagent({ type: 'Explore', description: 'x', prompt: 'x', steps: (agent) => agent.assistant('found', SIX) })
  const branched = origin.branched({ sessionId: 'aaaaaaaa-0000-4000-8000-000000000002' }).user('on').assistant('x', SIX)
  newRoot().add(origin, branched).write(root)
  const context = contextOf(root)
  const shown = await show.run(context, { session: origin.sessionId })
  const [agent] = (await agents.run(context, { session: origin.sessionId })).items
  expect(shown.turns[0]?.costUsd).toBeCloseTo(0.006, 12)
  expect(agent?.costUsd).toBeGreaterThanOrEqual(0.006)
  const { costUsd, ownCostUsd } = shown.session
  expect((costUsd ?? 0) - (ownCostUsd ?? 0)).toBeCloseTo(agent?.costUsd ?? -1, 12)
  expect(shown.turns.reduce((sum, turn) => sum + (turn.costUsd ?? 0), 0)).toBeCloseTo(costUsd ?? -1, 12)
  const copy = await show.run(context, { session: branched.sessionId })
  expect(copy.session.costUsd).toBeCloseTo(0.006, 12)
})

test('a response without a price is in no cost, and is told', async () => {
  const root = mkdtempSync(join(folder, 'root-'))
  const odd = { ...SIX, model: 'wholly-made-up' }
  log({ seed: 'b' }).user('one').assistant('first', SIX).user('two').assistant('second', odd).write(root)
  const { items } = await sessions.run(contextOf(root), { full: true })
  expect(items).toMatchObject([{ unpriced: 1 }])
  expect(items[0]?.costUsd).toBeCloseTo(0.006, 12)
})
