import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { openCalendar } from '../core/usage/calendar.ts'
import { diskSource } from '../disk/disk-source.ts'
import { Library } from '../disk/library.ts'
import type { Context } from '../history/context.ts'
import { historyOf } from '../history/history.ts'
import { ledgerLines } from '../history/usage/ledger.ts'
import { reconcile } from '../history/usage/reconcile.ts'
import { readUsage } from '../history/usage/usage.ts'
import { type AnswerOptions, type Log, log, root as newRoot, writeDemoRoot } from '../testing/index.ts'
import { receipt } from './receipt.ts'
import { statusline } from './statusline.ts'
import { usage } from './usage.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-usage-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function contextOf(root: string): Context {
  return {
    library: new Library({ roots: [root] }),
    now: new Date('2026-03-08T12:00:00Z'),
    cwd: folder,
    home: folder,
    currentSession: undefined,
    warn: () => {},
    progress: () => {},
  }
}

/** Writes logs into a root of their own. */
function written(...logs: readonly Log[]): Context {
  const root = mkdtempSync(join(folder, 'root-'))
  newRoot()
    .add(...logs)
    .write(root)
  return contextOf(root)
}

const none = { cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0, webSearches: 0 }
/** 1000 in and 100 out of claude-opus-5-5: 1000 × 4 + 100 × 20 millionths of a dollar. */
const SIX: AnswerOptions = { model: 'claude-opus-5-5', usage: { inputTokens: 1000, outputTokens: 100, ...none } }
const SIX_USD = 0.006
const session = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`
const begun = (n: number, startedAt = '2026-03-02T09:00:00.000Z') =>
  log({ sessionId: session(n), seed: `s${n}`, startedAt })
    .user('one')
    .assistant('first', SIX)

describe('a response counts once', () => {
  test('however many lines it has', async () => {
    const blocks = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'text', text: 'c' },
    ]
    const context = written(
      log()
        .user('go')
        .assistant(blocks, { ...SIX, streamed: true }),
    )
    const { total, coverage } = await usage.run(context, { all: true, by: 'total' })
    expect(total).toMatchObject({ responses: 1, inputTokens: 1000, outputTokens: 100 })
    expect(total.costUsd).toBeCloseTo(SIX_USD, 12)
    expect(coverage).toMatchObject({ rowsRead: 3, duplicateRows: 2, crossFileCopies: 0, placeholderResponses: 0 })
  })

  test('in a session, its fork, its branch and a copy of it', async () => {
    const origin = begun(1).user('two').assistant('second', SIX)
    const forked = origin
      .forked({ sessionId: session(2) })
      .user('three')
      .assistant('third', SIX)
    const branched = origin
      .branched({ sessionId: session(3) })
      .user('four')
      .assistant('fourth', SIX)
    const copied = origin
      .resumed({ copied: true, sessionId: session(4) })
      .user('five')
      .assistant('fifth', SIX)
    const { total, coverage, rows } = await usage.run(written(origin, forked, branched, copied), {
      all: true,
      by: 'session',
    })
    expect(total.responses).toBe(5)
    expect(total.costUsd).toBeCloseTo(5 * SIX_USD, 12)
    expect(coverage.crossFileCopies).toBe(6)
    expect(rows.reduce((sum, row) => sum + row.responses, 0)).toBe(5)
  })

  test('in two roots that hold the same log', async () => {
    const [one, two] = [written(begun(1)), written(begun(1))]
    const roots = [...one.library.roots, ...two.library.roots]
    const { total } = await usage.run({ ...one, library: new Library({ roots }) }, { all: true, by: 'total' })
    expect(total.responses).toBe(1)
  })

  test('and is said to be too low where only its first tokens were written', async () => {
    const context = written(
      log()
        .user('go')
        .assistant('cut', { ...SIX, placeholder: 'all', stopReason: null }),
    )
    expect((await usage.run(context, { all: true, by: 'total' })).coverage.placeholderResponses).toBe(1)
  })
})

describe('money', () => {
  test('of a model without a price is not known, and not zero', async () => {
    const odd = { ...SIX, model: 'wholly-made-up' }
    const alone = await usage.run(written(log().user('go').assistant('x', odd)), { all: true, by: 'model' })
    expect(alone.rows).toMatchObject([{ key: 'wholly-made-up', costUsd: null, responses: 1 }])
    expect(alone.total.costUsd).toBeNull()
    expect(alone.total.withUnloggedUsd).toBeNull()
    expect(alone.coverage.unpricedModels).toEqual(['wholly-made-up'])

    const mixed = await usage.run(written(begun(1).user('go').assistant('x', odd)), { all: true, by: 'session' })
    expect(mixed.rows[0]?.costUsd).toBeCloseTo(SIX_USD, 12)
    expect(mixed.coverage.unpricedModels).toEqual(['wholly-made-up'])
  })

  test('of all spellings of a model is one row', async () => {
    const spelled = { ...SIX, model: 'us.anthropic.claude-opus-5-5-20260901-v1:0' }
    const { rows } = await usage.run(written(begun(1).user('go').assistant('x', spelled)), { all: true, by: 'model' })
    expect(rows).toMatchObject([{ key: 'claude-opus-5-5', responses: 2 }])
  })

  test('of the US, of fast answers and of web searches', async () => {
    const fields = { inference_geo: 'us', speed: 'fast' }
    const special = { ...SIX, usage: { ...SIX.usage, webSearches: 2, fields } }
    const { total } = await usage.run(written(log().user('go').assistant('x', special)), { all: true, by: 'total' })
    // 1.1 × (1000 × 8 + 100 × 40) millionths, and two cents.
    expect(total.costUsd).toBeCloseTo(0.0332, 12)
  })
})

test('a family rolls up, and shows its own part', async () => {
  const context = written(
    begun(1).subagent({
      type: 'Explore',
      description: 'look',
      prompt: 'look',
      steps: (agent) => agent.assistant('found', SIX),
    }),
  )
  const bySession = await usage.run(context, { all: true, by: 'session' })
  const byType = await usage.run(context, { all: true, by: 'agent-type' })
  const [family] = bySession.rows
  const explore = byType.rows.find((row) => row.key === 'Explore')
  expect(bySession.rows).toHaveLength(1)
  expect(explore?.costUsd).toBeGreaterThanOrEqual(SIX_USD)
  expect((family?.costUsd ?? 0) - (family?.ownCostUsd ?? 0)).toBeCloseTo(explore?.costUsd ?? 0, 12)
  const byTurn = await usage.run(context, { all: true, by: 'turn' })
  expect(byTurn.rows).toMatchObject([{ key: `${session(1)}#1`, label: 'one' }])
})

test('what was spent on abandoned branches is told', async () => {
  const context = written(begun(1).user('two').assistant('wrong', SIX).rewind({ to: 2 }).user('2').assistant('ok', SIX))
  const { total } = await usage.run(context, { all: true, by: 'total' })
  expect(total.responses).toBe(3)
  expect(total.abandoned.responses).toBe(1)
  expect(total.abandoned.costUsd).toBeCloseTo(SIX_USD, 12)
})

describe("the client's ledger", () => {
  test('adds what no line shows, with the reason', async () => {
    const context = written(begun(1).compact().user('on').assistant('more', SIX).costState({ totalCostUSD: 0.02 }))
    const { total, unlogged } = await usage.run(context, { all: true, by: 'total' })
    expect(unlogged.costUsd).toBeCloseTo(0.02 - 2 * SIX_USD, 9)
    expect(unlogged.reasons).toEqual(['1 compaction'])
    expect(total.withUnloggedUsd).toBeCloseTo(0.02, 9)
  })

  test('of a fork includes what its origin had paid, which is not added twice', async () => {
    const origin = begun(1).costState({ totalCostUSD: 0.016 })
    const forked = origin
      .forked({ sessionId: session(2) })
      .user('on')
      .assistant('more', SIX)
    const context = written(origin, forked.costState({ totalCostUSD: 0.022 }))
    const { total, unlogged } = await usage.run(context, { all: true, by: 'total' })
    expect(total.costUsd).toBeCloseTo(2 * SIX_USD, 12)
    expect(unlogged.costUsd).toBeCloseTo(0.01, 9)
  })

  test('of a branch begins at zero', async () => {
    const origin = begun(1).costState({ totalCostUSD: SIX_USD })
    const branched = origin
      .branched({ sessionId: session(2) })
      .user('on')
      .assistant('more', SIX)
    const context = written(origin, branched.costState({ totalCostUSD: SIX_USD }))
    expect((await usage.run(context, { all: true, by: 'total' })).unlogged).toEqual({ costUsd: 0, reasons: [] })
  })

  test('that says less takes nothing away', async () => {
    const { unlogged } = await usage.run(written(begun(1).costState({ totalCostUSD: 0 })), { all: true, by: 'total' })
    expect(unlogged).toEqual({ costUsd: 0, reasons: [] })
  })

  test("stands beside the client's other totals and those of ccusage", async () => {
    const context = written(begun(1).costState({ totalCostUSD: SIX_USD }))
    const [root] = context.library.roots as [string]
    const projects = { '/home/ana/api': { lastCost: 0.01, lastSessionId: session(1) }, '/x': { lastCost: 1 }, '/y': {} }
    writeFileSync(join(root, '.claude.json'), JSON.stringify({ projects }))
    const stats = { lastComputedDate: '2026-03-01', modelUsage: { 'claude-opus-5-5': { inputTokens: 5 } } }
    writeFileSync(join(root, 'stats-cache.json'), JSON.stringify(stats))
    const history = historyOf(context)
    const used = await readUsage(history, { single: true })
    const lines = await ledgerLines(history, used)
    const titles = new Map<string, never>()
    const ours = { sessions: used.sessions, titles, all: used.calls, lines, calendar: openCalendar('UTC') }
    const beside = reconcile(context, ours, () => '{"totals":{"totalCost":0.004}}')
    expect(beside.ledger).toMatchObject([{ session: session(1), reasons: [] }])
    expect(beside.lastSessions.map(({ project, session: id }) => [project, id])).toEqual([
      ['/home/ana/api', session(1)],
      ['/x', null],
    ])
    expect(beside.lastSessions[0]?.differenceUsd).toBeCloseTo(0.004, 9)
    expect(beside.lastSessions[1]?.reasons).toEqual(['its log is gone, or it asked nothing'])
    expect(beside.statsCache).toMatchObject([
      { oursTokens: 1100, theirsTokens: 5, reasons: ['Claude Code counted only up to 2026-03-01'] },
    ])
    expect(beside.ccusage).toMatchObject({ installed: true, theirsUsd: 0.004 })
    expect(beside.ccusage.differenceUsd).toBeCloseTo(-0.002, 9)
    expect(reconcile(context, ours, () => undefined).ccusage).toMatchObject({ installed: false, theirsUsd: null })
    expect(reconcile(context, ours, () => 'oops').ccusage).toMatchObject({ installed: true, theirsUsd: null })
  })
})

describe('periods', () => {
  const late = '2026-03-06T23:30:00.000Z'

  test('are days of the time zone', async () => {
    const context = written(begun(1, late))
    const keyIn = async (timezone: string) =>
      (await usage.run(context, { all: true, by: 'day', timezone })).rows[0]?.key
    expect(await keyIn('UTC')).toBe('2026-03-06')
    expect(await keyIn('Europe/Berlin')).toBe('2026-03-07')
    expect(await keyIn('America/New_York')).toBe('2026-03-06')
  })

  test('are the last seven days, whatever they are put together by, unless something else is asked for', async () => {
    const context = written(begun(1, late), begun(2, '2026-03-01T09:00:00.000Z'))
    for (const by of ['day', 'month', 'session'] as const) {
      const week = await usage.run(context, { by, timezone: 'UTC' })
      expect(week).toMatchObject({ by, since: '2026-03-02', until: '2026-03-08', isLatest: false })
      expect(week.period).toEqual({ from: '2026-03-02T00:00:00.000Z', to: '2026-03-09T00:00:00.000Z' })
      expect(week.total.responses).toBe(1)
    }
    const all = await usage.run(context, { all: true, timezone: 'UTC' })
    expect(all.rows.map((row) => row.key)).toEqual(['2026-03-01', '2026-03-06'])
    expect(all.period).toEqual({ from: null, to: null })
  })

  test('stay empty where nothing was used, unless the last that have some are asked for instead', async () => {
    const context = { ...written(begun(1, late)), now: new Date('2026-04-20T12:00:00Z') }
    expect(await usage.run(context, { timezone: 'UTC' })).toMatchObject({
      rows: [],
      since: '2026-04-14',
      isLatest: false,
    })
    const latest = await usage.run(context, { timezone: 'UTC', 'or-latest': true })
    expect(latest).toMatchObject({
      since: '2026-02-28',
      until: '2026-03-06',
      isLatest: true,
      rows: [{ key: '2026-03-06' }],
    })
    const asked = await usage.run(context, { timezone: 'UTC', since: '2026-04-01', 'or-latest': true })
    expect(asked).toMatchObject({ rows: [], isLatest: false })
    expect(usage.forPeople?.({})).toEqual({ 'or-latest': true })
    expect(usage.forPeople?.({ csv: true })).toEqual({})
  })

  test('a limit is held against the day, the week or the month that it is', async () => {
    const context = { ...written(begun(1, late)), now: new Date('2026-03-06T23:45:00Z') }
    const warn = async (text: string, now = context.now) =>
      (await usage.run({ ...context, now }, { timezone: 'UTC', warn: text })).warn
    expect(await warn('0.005/day')).toMatchObject({ limitUsd: 0.005, per: 'day', isOver: true })
    expect((await warn('0.005'))?.spentUsd).toBeCloseTo(SIX_USD, 12)
    expect(await warn('$0.007/day')).toMatchObject({ isOver: false })
    const later = new Date('2026-03-07T12:00:00Z')
    expect(await warn('0.005/day', later)).toMatchObject({ isOver: false, spentUsd: 0 })
    expect(await warn('0.005/week', later)).toMatchObject({ isOver: true })
    expect(await warn('0.005/month', later)).toMatchObject({ isOver: true })
    await expect(warn('much')).rejects.toThrow('"much" is not a limit.')
    const over = await usage.run(context, { warn: '0.005/day' })
    expect(usage.isTrouble?.(over, false)).toBe(true)
  })

  test('name the session that cost most', async () => {
    const context = written(begun(1, late).user('x').assistant('y', SIX), begun(2, late))
    const { rows } = await usage.run(context, { by: 'day', timezone: 'UTC' })
    expect(rows).toMatchObject([{ responses: 3, largest: { session: session(1) } }])
    expect(rows[0]?.largest?.costUsd).toBeCloseTo(2 * SIX_USD, 12)
  })
})

describe('a receipt', () => {
  test('of a day leads from sessions over turns to models, and the multiplication gives the cost', async () => {
    const context = written(begun(1).user('two').assistant('second', SIX).assistant('third', SIX), begun(2))
    const { sessions, total } = await receipt.run(context, { what: '2026-03-02', timezone: 'UTC' })
    expect(sessions.map(({ session: id, turns }) => [id, turns.map(({ turn, asked }) => [turn, asked])])).toEqual([
      [
        session(1),
        [
          ['1', 'one'],
          ['2', 'two'],
        ],
      ],
      [session(2), [['1', 'one']]],
    ])
    const [, second] = sessions[0]?.turns ?? []
    expect(second?.models).toMatchObject([{ model: 'claude-opus-5-5', responses: 2, factor: 1 }])
    const models = sessions.flatMap(({ turns }) => turns.flatMap((turn) => turn.models))
    const multiplied = models.flatMap(({ parts }) =>
      parts.map((part) => (part.tokens * (part.usdPerMillion ?? 0)) / 1e6),
    )
    expect(multiplied.reduce((sum, usd) => sum + usd, 0)).toBeCloseTo(4 * SIX_USD, 12)
    expect(total.costUsd).toBeCloseTo(4 * SIX_USD, 12)
  })

  test('names each row, the one that counts, and why the others do not', async () => {
    const blocks = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]
    const origin = log({ sessionId: session(1), seed: 's1' })
      .user('go')
      .assistant(blocks, { ...SIX, streamed: true, placeholder: true, messageId: 'msg_x' })
    const branched = origin
      .branched({ sessionId: session(2) })
      .user('on')
      .assistant('more', SIX)
    const context = written(origin, branched)
    const { items, total } = await receipt.run(context, { what: 'msg_x' })
    expect(total.costUsd).toBeCloseTo(SIX_USD, 12)
    expect(items).toMatchObject([
      {
        session: session(1),
        model: 'claude-opus-5-5',
        outputTokens: 100,
        price: { input: 4, output: 20, rate: 'usual', factor: 1, source: "the client's own list, 2.1.325" },
      },
    ])
    expect(items[0]?.rows.map(({ counted, why }) => [counted, why])).toEqual(
      expect.arrayContaining([
        [true, 'it has the most output tokens'],
        [false, 'written before the answer was complete'],
        [false, 'a copy that a fork made'],
      ]),
    )
    const ofBranch = await receipt.run(context, { what: session(2) })
    expect(ofBranch.items).toHaveLength(1)
    expect(ofBranch.countedElsewhere).toMatchObject([{ messageId: 'msg_x', session: session(1) }])
  })

  test('of what is not there says so', async () => {
    const context = written(begun(1))
    await expect(receipt.run(context, { what: 'msg_none' })).rejects.toThrow('No response has the id msg_none.')
    await expect(receipt.run(context, { what: '2020-01-01' })).rejects.toThrow('No usage for 2020-01-01.')
    await expect(receipt.run(context, { what: '2026-13-45..2026-99-99' })).rejects.toMatchObject({ code: 'BAD_INPUT' })
  })

  test('of every day and every session adds up to the total, on the demo root', async () => {
    const demo = mkdtempSync(join(folder, 'demo-'))
    writeDemoRoot(demo, new Date('2026-03-08T12:00:00Z'))
    await expectReceiptsToAddUp(contextOf(demo))
  })

  test('adds up, whatever was copied from what', async () => {
    const kinds = fc.constantFrom('answer', 'streamed', 'fork', 'branch', 'copy', 'agent', 'rewind')
    await fc.assert(
      fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 7 }), async (steps) => {
        await expectReceiptsToAddUp(written(...built(steps)))
      }),
      { numRuns: 25 },
    )
  })
})

/** Sessions made by some steps, each of which works on the one made last. */
function built(steps: readonly string[]): readonly Log[] {
  const logs = [begun(1)]
  for (const [at, step] of steps.entries()) {
    const last = logs.at(-1) as Log
    const options = { seed: `step ${at}` }
    if (step === 'fork') logs.push(last.forked(options).user('on').assistant('more', SIX))
    else if (step === 'branch') logs.push(last.branched(options).user('on').assistant('more', SIX))
    else if (step === 'copy')
      logs.push(
        last
          .resumed({ ...options, copied: true })
          .user('on')
          .assistant('more', SIX),
      )
    else if (step === 'agent') last.subagent({ type: 'Explore', description: 'x', prompt: 'x', result: 'y' })
    else if (step === 'rewind') last.rewind({ to: 1 }).user('again').assistant('so', SIX)
    else last.user('more').assistant('so', { ...SIX, thinking: 'hm', streamed: step === 'streamed' })
  }
  return logs
}

async function expectReceiptsToAddUp(context: Context): Promise<void> {
  const timezone = 'Asia/Tokyo'
  const { total } = await usage.run(context, { all: true, by: 'total', timezone })
  for (const by of ['day', 'session'] as const) {
    const { rows } = await usage.run(context, { all: true, by, timezone })
    let cost = 0
    let responses = 0
    for (const row of rows) {
      const { items } = await receipt.run(context, { what: row.key, timezone })
      const own = items.reduce((sum, item) => sum + (item.costUsd ?? 0), 0)
      expect(own).toBeCloseTo(row.costUsd ?? 0, 9)
      for (const item of items) expect(item.rows.filter((one) => one.counted)).toHaveLength(1)
      cost += own
      responses += items.length
    }
    expect(cost).toBeCloseTo(total.costUsd ?? 0, 9)
    expect(responses).toBe(total.responses)
  }
  for (const by of ['turn', 'agent', 'agent-type', 'block', 'project', 'model', 'week', 'month'] as const) {
    const { rows } = await usage.run(context, { all: true, by, timezone })
    expect(rows.reduce((sum, row) => sum + row.responses, 0)).toBe(total.responses)
  }
}

test('the status line has today and the newest session', async () => {
  const context = written(begun(1, '2026-03-08T09:00:00.000Z'), begun(2, '2026-03-01T09:00:00.000Z'))
  const { today, session: current } = await statusline.run(context, { timezone: 'UTC' })
  expect(today).toMatchObject({ responses: 1 })
  expect(today.costUsd).toBeCloseTo(SIX_USD, 12)
  expect(current).toMatchObject({ id: session(1), responses: 1 })
  const old = await statusline.run({ ...context, currentSession: session(2) }, { timezone: 'UTC' })
  expect(old.session).toMatchObject({ id: session(2), responses: 1 })
})

test('the status line knows the model, how full its window is, the block and what is left of it', async () => {
  const context = written(begun(1, '2026-03-08T09:10:00.000Z'))
  const line = await statusline.run(context, { timezone: 'UTC', warn: '0.005/day', settings: true })
  expect(line).toMatchObject({
    model: 'claude-opus-5-5',
    context: { tokens: 1000, windowTokens: 200_000 },
    // It is noon: the block began with the hour of its first response.
    block: { startedAt: '2026-03-08T09:00:00.000Z', endsAt: '2026-03-08T14:00:00.000Z', leftMs: 7_200_000 },
    warn: { isOver: true },
  })
  expect(JSON.parse(line.settings ?? '')).toEqual({
    statusLine: { type: 'command', command: 'annals statusline --hook' },
  })
  const later = await statusline.run({ ...context, now: new Date('2026-03-08T14:00:00Z') }, { timezone: 'UTC' })
  expect(later).toMatchObject({ block: null, warn: null, settings: null })
})

describe('what could not be read', () => {
  test('is told, and nothing else is behind', async () => {
    const context = written(begun(1), begun(2))
    expect(await usage.run(context, { all: true, by: 'total' })).toMatchObject({ complete: true, behindBytes: 0 })
    const locked = context.library.sessions().find(({ id }) => id === session(2))?.log
    const open: typeof diskSource = (...all) => {
      const source = diskSource(...all)
      const read: typeof source.read = (entry, ...rest) =>
        entry.path === locked?.path ? undefined : source.read(entry, ...rest)
      return { list: () => source.list(), close: () => source.close(), read }
    }
    const library = new Library({ roots: context.library.roots, open })
    const result = await usage.run({ ...context, library }, { all: true, by: 'total' })
    expect(result).toMatchObject({ complete: false, behindBytes: locked?.sizeBytes, total: { responses: 1 } })
  })
})

describe('following', () => {
  /** An answer of 1000 tokens in and 100 out, as a client writes it. */
  const answer = (n: number) => {
    const tokens = { input_tokens: 1000, output_tokens: 100 }
    const message = { id: `msg_${n}`, model: 'claude-opus-5-5', content: [], usage: tokens, stop_reason: 'end_turn' }
    const row = { type: 'assistant', uuid: `u${n}`, timestamp: '2026-03-03T09:00:00.000Z', requestId: `r${n}`, message }
    return `${JSON.stringify(row)}\n`
  }

  test('counts again when a log grows and when one comes, and ends with the signal', async () => {
    const context = written(begun(1))
    const [root] = context.library.roots as [string]
    expect((await usage.run(context, { all: true, by: 'total', follow: true })).total.responses).toBe(1)
    const log = context.library.sessions()[0]?.log?.path as string
    // What comes between the first result and the watching is not lost.
    appendFileSync(log, answer(1))
    const stop = new AbortController()
    const counts: number[] = []
    for await (const { total, complete } of usage.follow?.(context, { all: true, by: 'total' }, stop.signal) ?? []) {
      expect(complete).toBe(true)
      counts.push(total.responses)
      if (total.responses === 2) appendFileSync(log, answer(2))
      if (total.responses === 3) newRoot().add(begun(2)).write(root)
      if (total.responses === 4) stop.abort()
    }
    expect([...new Set(counts)]).toEqual([2, 3, 4])
  })

  test('tells nothing where nothing happens', async () => {
    const context = written(begun(1))
    await usage.run(context, {})
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 300)
    const results = []
    for await (const one of usage.follow?.(context, {}, stop.signal) ?? []) results.push(one)
    expect(results).toEqual([])
  })
})

describe('a part of what was spent has a receipt of its own', () => {
  const two = () =>
    written(
      begun(1)
        .wait(3 * 3_600_000)
        .user('two')
        .assistant('second', SIX)
        .assistant('third', SIX),
      begun(2, '2026-03-03T09:00:00.000Z'),
    )

  test('a turn of a session', async () => {
    const context = two()
    const first = await receipt.run(context, { what: `${session(1)}:1` })
    expect(first).toMatchObject({ kind: 'turn', key: session(1), total: { responses: 1, costUsd: SIX_USD } })
    const second = await receipt.run(context, { what: `${session(1)}:2` })
    expect(second.total.responses).toBe(2)
    expect(second.total.costUsd).toBeCloseTo(2 * SIX_USD, 9)
    await expect(receipt.run(context, { what: `${session(1)}:3` })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('some days, both with their end, and the time between two moments, the second without', async () => {
    const context = two()
    const responses = async (what: string) => (await receipt.run(context, { what, timezone: 'UTC' })).total.responses
    expect(await responses('2026-03-02..2026-03-03')).toBe(4)
    expect(await responses('2026-03-03..2026-03-04')).toBe(1)
    expect(await responses('2026-03-02T09:00:00.000Z..2026-03-02T12:00:00.000Z')).toBe(1)
    const [only] = (await receipt.run(context, { what: session(2) })).items
    expect(await responses(`2026-03-02T12:00:00.000Z..${only?.timestamp}`)).toBe(2)
    expect(await responses(`${only?.timestamp}..2026-03-04T09:00:00.000Z`)).toBe(1)
  })

  test('an hour of the week tells the part of each session', async () => {
    const { rows } = await usage.run(two(), { by: 'hour', parts: 'session', all: true, timezone: 'UTC' })
    const parts = rows.map(({ key, parts: own }) => [key, own?.map(({ key: id, responses }) => [id, responses])])
    expect(parts).toEqual([
      ['1 09', [[session(1), 1]]],
      ['1 12', [[session(1), 2]]],
      ['2 09', [[session(2), 1]]],
    ])
  })
})
