import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Static } from '../core/schema.ts'
import { Library } from '../disk/library.ts'
import { log, root } from '../testing/index.ts'
import { stats } from './stats.ts'

let folder: string
let open: Library[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-'))
})
afterEach(() => {
  for (const library of open) library.close()
  open = []
  rmSync(folder, { recursive: true, force: true })
})

async function statsOf(input: Static<typeof stats.input> = {}) {
  const library = new Library({ roots: [folder] })
  open.push(library)
  const nowhere = { cwd: folder, home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  const context = { library, now: new Date('2026-03-10T12:00:00.000Z'), ...nowhere }
  const result = await stats.run(context, { timezone: 'UTC', ...input })
  expect([...Value.Errors(stats.result, result)]).toEqual([])
  return result
}

/** Three prompts on two days, four responses, two calls, one of them an error. */
function work() {
  return log({ seed: 'work', startedAt: '2026-03-02T23:30:00.000Z' })
    .user('first')
    .tool('Bash', { command: 'npm test' }, { output: 'fails', exitCode: 1, durationMs: 2000 })
    .edit('/home/ana/api/a.ts', { before: 'a', after: 'b' })
    .assistant('done', { usage: { outputTokens: 100 } })
    .user('second')
    .assistant('fine', { usage: { outputTokens: 20 } })
    .wait(3_600_000)
    .user('third')
    .interrupt()
}

test('counts what was asked, answered and done', async () => {
  work().write(folder)
  const result = await statsOf()
  expect(result.totals).toEqual({
    sessions: 1,
    agents: 0,
    activeDays: 2,
    prompts: 3,
    responses: 4,
    toolCalls: 2,
    toolErrors: 1,
    tools: 2,
    files: 1,
  })
  expect(result.activity.days).toEqual([
    { date: '2026-03-02', prompts: 2, responses: 4, toolCalls: 2, sessions: 1 },
    { date: '2026-03-03', prompts: 1, responses: 0, toolCalls: 0, sessions: 1 },
  ])
  expect(result.activity.hours.flatMap((n, hour) => (n > 0 ? [[hour, n]] : []))).toEqual([
    [0, 1],
    [23, 2],
  ])
  expect(result.activity.weekdays).toEqual([2, 1, 0, 0, 0, 0, 0])
  expect(result.tools).toMatchObject([
    // `Exit code 1`, a newline, `fails`
    { name: 'Bash', calls: 1, errors: 1, errorRate: 1, medianMs: 2000, resultBytes: 17 },
    { name: 'Edit', calls: 1, errors: 0 },
  ])
  expect(result.files).toEqual([{ path: '/home/ana/api/a.ts', edits: 1, writes: 0, reads: 0, sessions: 1 }])
  expect(result.interruptions).toBe(1)
  expect(result.sessions).toMatchObject([{ title: 'first', turns: 3, toolCalls: 2 }])
  expect(result.models).toHaveLength(1)
  expect(result.total).toBe(1)
})

test('days are those of the time zone', async () => {
  work().write(folder)
  const { activity, timeZone } = await statsOf({ timezone: 'Europe/Berlin' })
  expect(timeZone).toBe('Europe/Berlin')
  expect(activity.days.map(({ date, prompts }) => [date, prompts])).toEqual([['2026-03-03', 3]])
  expect(activity.hours.slice(0, 2)).toEqual([2, 1])
})

test('a time zone that is none is told in a sentence', async () => {
  await expect(statsOf({ timezone: 'Mars/Base' })).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: '"Mars/Base" is not a time zone.',
  })
})

describe('between two times', () => {
  beforeEach(() => {
    work().write(folder)
  })

  test('only what was done then counts', async () => {
    const { totals, sessions, interruptions } = await statsOf({ since: '2026-03-03T00:00:00Z' })
    expect(totals).toMatchObject({ sessions: 1, prompts: 1, responses: 0, toolCalls: 0, files: 0 })
    expect(sessions).toMatchObject([{ turns: 1, toolCalls: 0 }])
    expect(interruptions).toBe(1)
    expect((await statsOf({ until: '2026-03-03T00:00:00Z' })).totals).toMatchObject({ prompts: 2, toolCalls: 2 })
  })

  test('a day begins and ends in the time zone', async () => {
    const day = { since: '2026-03-03', until: '2026-03-03' }
    expect((await statsOf(day)).totals.prompts).toBe(1)
    expect((await statsOf({ ...day, timezone: 'Europe/Berlin' })).totals.prompts).toBe(3)
    expect((await statsOf({ since: '2026-03-04' })).total).toBe(0)
  })
})

describe('copies count once', () => {
  const figures = ({ totals, models, interruptions, activity }: Awaited<ReturnType<typeof statsOf>>) => {
    const { sessions: _, ...same } = totals
    return { ...same, models, interruptions, hours: activity.hours }
  }

  for (const how of ['forked', 'branched'] as const) {
    test(`in a session that was ${how}`, async () => {
      const first = work()
      first.write(folder)
      const alone = figures(await statsOf())
      first[how]({ startedAt: '2026-03-03T08:00:00.000Z' }).user('fourth').assistant('other').write(folder)
      const both = await statsOf()
      expect(both.totals.sessions).toBe(2)
      expect(figures(both)).toMatchObject({
        prompts: alone.prompts + 1,
        responses: alone.responses + 1,
        toolCalls: alone.toolCalls,
        toolErrors: alone.toolErrors,
        files: alone.files,
        interruptions: alone.interruptions,
      })
    })
  }

  test('a branch has the counts of its log, and is as long as what was said in it', async () => {
    const branch = work().branched({ title: 'Aside', startedAt: '2026-03-05T08:00:00.000Z' })
    branch.user('fourth').assistant('x').write(folder)
    const own = branch.rows().filter((row) => typeof row.uuid === 'string' && row.forkedFrom === undefined)
    const times = own.map((row) => Date.parse(String(row.timestamp)))
    const { sessions } = await statsOf()
    const aside = sessions.find(({ title }) => title === 'Aside')
    expect(aside).toMatchObject({ turns: 4, toolCalls: 2, durationMs: Math.max(...times) - Math.min(...times) })
  })

  test('in a history copied with new uuids and times', async () => {
    const first = log({ seed: 'old', version: '1.0.65' }).user('one').tool('Bash', { command: 'ls' }).assistant('a')
    first.resumed({ startedAt: '2026-03-05T08:00:00.000Z' }).user('two').assistant('b').write(folder)
    const { totals, activity } = await statsOf()
    expect(totals).toMatchObject({ sessions: 2, prompts: 2, responses: 3, toolCalls: 1 })
    expect(activity.days[0]).toMatchObject({ date: '2026-03-02', prompts: 1, responses: 2, toolCalls: 1 })
  })
})

test('agents work, but do not ask', async () => {
  log()
    .user('go')
    .subagent({
      description: 'look',
      prompt: 'Look.',
      steps: (agent) => agent.tool('Read', { file_path: '/b.ts' }, { output: 'x' }),
      result: 'Seen.',
    })
    .assistant('done')
    .write(folder)
  const { totals, tools, sessions } = await statsOf()
  // The session's call and its last answer; the agent's call and its report.
  expect(totals).toMatchObject({ sessions: 1, agents: 1, prompts: 1, responses: 4, toolCalls: 2 })
  expect(tools.map(({ name }) => name).sort()).toEqual(['Agent', 'Read'])
  expect(sessions).toMatchObject([{ turns: 1, toolCalls: 1 }])
})

test('compactions and errors of the API are counted', async () => {
  log()
    .user('one')
    .assistant('a')
    .compact({ trigger: 'auto', preTokens: 150_000 })
    .user('two')
    .assistant('b')
    .compact({ trigger: 'manual', preTokens: 50_000 })
    .user('three')
    .apiError('overloaded', { retries: 2 })
    .write(folder)
  const { compactions, apiErrors } = await statsOf()
  expect(compactions).toEqual({ count: 2, auto: 1, manual: 1, preTokensMedian: 100_000 })
  expect(apiErrors).toBe(1)
})

test('sessions are sorted by how long they took, models by their responses, tables are cut', async () => {
  const short = log({ seed: 'short' }).user('short').assistant('a', { model: 'claude-b' })
  const long = log({ seed: 'long' })
    .user('long')
    .assistant('a', { model: 'claude-a', usage: { outputTokens: 7 } })
    .wait(60_000)
    .user('more')
    .assistant('b', { model: 'claude-a', usage: { outputTokens: 5 } })
  root().add(short, long).write(folder)
  const { sessions, models } = await statsOf()
  expect(sessions.map(({ title }) => title)).toEqual(['long', 'short'])
  expect(models[0]).toEqual({ model: 'claude-a', responses: 2, outputTokens: 12 })
  const cut = await statsOf({ limit: 1 })
  expect([cut.sessions.length, cut.models.length, cut.totals.sessions]).toEqual([1, 1, 2])
})

test('only the project that is meant', async () => {
  root()
    .add(log({ seed: 'a', cwd: '/home/ana/a' }).user('a'), log({ seed: 'b', cwd: '/home/ana/b' }).user('b'))
    .write(folder)
  expect((await statsOf({ project: '/home/ana/a' })).totals).toMatchObject({ sessions: 1, prompts: 1 })
})

test('what the client counted stands beside ours, for the whole root only', async () => {
  expect((await statsOf()).clientCache).toBeNull()
  const days = [
    { date: '2026-03-01', messageCount: 5, sessionCount: 1, toolCallCount: 7 },
    { date: '2026-03-02', messageCount: 4, sessionCount: 1, toolCallCount: 2 },
  ]
  const hourCounts = { '9': 3, '14': 6 }
  const told = { lastComputedDate: '2026-03-02', totalSessions: 9, totalMessages: 99, dailyActivity: days, hourCounts }
  root().add(work()).statsCache(told).write(folder)
  expect((await statsOf()).clientCache).toEqual({
    files: [join(folder, 'stats-cache.json')],
    lastComputedDate: '2026-03-02',
    firstSessionDate: null,
    sessions: 9,
    messages: 99,
    toolCalls: 9,
    days: [
      { date: '2026-03-01', sessions: 1, messages: 5, toolCalls: 7 },
      { date: '2026-03-02', sessions: 1, messages: 4, toolCalls: 2 },
    ],
    hours: Array.from({ length: 24 }, (_, hour) => ({ 9: 3, 14: 6 })[hour] ?? 0),
    ours: { sessions: 1, messages: 2 + 4, toolCalls: 2 },
  })
  expect((await statsOf({ since: '2026-03-01' })).clientCache).toBeNull()
})

test('an empty root has nothing, and says where nothing comes from', async () => {
  const { total, activity, sources } = await statsOf()
  expect(total).toBe(0)
  expect(activity).toEqual({ days: [], hours: new Array(24).fill(0), weekdays: new Array(7).fill(0) })
  for (const sentence of Object.values(sources)) expect(sentence).toMatch(/^\S.*\.$/)
})
