import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formats } from '../src/cli/format/index.ts'
import { createStyle } from '../src/cli/terminal/style.ts'
import { Failure } from '../src/core/failure.ts'
import { openCalendar } from '../src/core/usage/calendar.ts'
import { between } from '../src/core/usage/moment.ts'
import { expiresAt } from '../src/disk/retention.ts'
import { openLibrary } from '../src/history/compose.ts'
import type { Context } from '../src/history/context.ts'
import { loadAll, opLoaders } from '../src/ops/index.ts'
import type { Op } from '../src/ops/op.ts'
import { log, root as newRoot } from '../src/testing/index.ts'
import { temporaryFolder } from './cli/annals.ts'

const ops = await loadAll(opLoaders)

const folder = temporaryFolder()
const root = join(folder.path, 'root')
const SESSION = 'aaaaaaaa-0000-4000-8000-00000000000'
let outs = 0

/** The last and the first moment that a date can name, years with five digits, with a sign and with two, and a clock never set. */
const CLOCKS = [8.64e15, -8.64e15, 253402300800000, -62198755200000, -61000000000000, 0]

/** Times that a log may hold: at both ends of what a date can be, beyond them, and such as are none. */
const TIMES = [
  '+275760-09-13T00:00:00.000Z',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-20T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.999-23:59',
  '0000-01-01T00:00:00.000Z',
  '0000-01-01T00:00:00.000+23:59',
  '0099-06-01T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '2026-02-31T09:00:00.000Z',
  '2026-13-01T00:00:00.000Z',
  8.64e15,
  8.64e15 + 1,
  -1e300,
  '',
]

beforeAll(() => {
  const logs = [1, 2].map((n) => {
    const made = log({ sessionId: `${SESSION}${n}`, seed: `clock ${n}`, cwd: '/home/ana/one' })
    for (const at of TIMES.keys()) made.user(`the question ${at}`).tool('Bash', { command: 'ls' }).assistant('the end')
    return made
  })
  newRoot()
    .add(...logs)
    .write(root)
  let turn = 0
  for (const n of [1, 2]) {
    const path = join(root, `projects/-home-ana-one/${SESSION}${n}.jsonl`)
    const rows = readFileSync(path, 'utf8').replace(/"timestamp":"[^"]*"/g, () => {
      turn += 1
      return `"timestamp":${JSON.stringify(TIMES[turn % TIMES.length])}`
    })
    writeFileSync(path, rows)
    utimesSync(path, 0, n === 1 ? 4e10 : -4e8)
  }
  for (const at of TIMES) {
    appendFileSync(join(root, 'history.jsonl'), `${JSON.stringify({ display: 'x', timestamp: at, project: '/p' })}\n`)
  }
})
afterAll(folder.remove)

function contextOf(now: number): Context {
  const state = join(folder.path, 'state')
  return {
    library: openLibrary([root], () => {}, state),
    now: new Date(now),
    cwd: folder.path,
    home: folder.path,
    cacheDir: state,
    dataDir: state,
    configDir: state,
    currentSession: undefined,
    warn: () => {},
    progress: () => {},
  }
}

const ofSession = [() => ({ session: `${SESSION}1` })]
const periods = [() => ({}), () => ({ since: '7d' }), () => ({ since: '999999w', until: '2026-11-15' })]

/** Inputs with which an operation looks at times; one that is not named here is asked without any. */
const INPUTS: Readonly<Record<string, readonly (() => object)[]>> = {
  search: periods.map((input) => () => ({ query: ['the'], ...input() })),
  find: [() => ({ session: `${SESSION}1`, query: 'the' })],
  ...Object.fromEntries(
    ['show', 'outline', 'timeline', 'read', 'tail', 'tree', 'context'].map((name) => [name, ofSession]),
  ),
  receipt: [() => ({ what: `${SESSION}1` }), () => ({ what: '9999-12-31' })],
  resume: [() => ({ session: [`${SESSION}1`], print: true })],
  redact: [() => ({ action: 'scan' })],
  usage: [
    ...['day', 'week', 'month', 'session', 'block', 'project', 'model'].map((by) => () => ({ by })),
    () => ({ by: 'week', timezone: 'Pacific/Kiritimati' }),
    ...periods,
  ],
  stats: [...periods, () => ({ timezone: 'Pacific/Kiritimati' })],
  sessions: periods,
  prompts: periods,
  archive: [() => ({}), () => ({ action: 'verify' })],
  export: ['md', 'html', 'json', 'jsonl', 'csv', 'parquet', 'xml', 'steps', 'bundle'].map((to) => () => ({
    to,
    all: true,
    out: `${join(folder.path, `out-${outs++}`)}/`,
  })),
  recap: [() => ({}), () => ({ period: ['last', 'week'] }), () => ({ period: ['7d'] })],
  blame: [() => ({ file: '/home/ana/one/a.ts' })],
  edit: [() => ({ action: 'tag', what: [`${SESSION}1`, 'x'], 'dry-run': true })],
  rename: [() => ({ session: `${SESSION}1`, title: 'x', 'dry-run': true })],
  tag: [() => ({ session: `${SESSION}1`, tag: 'x', 'dry-run': true })],
  move: [() => ({ session: `${SESSION}1`, to: folder.path, 'dry-run': true })],
  star: ofSession,
  note: [() => ({ session: `${SESSION}1`, text: 'x' })],
  purge: [() => ({ session: 'ffffffff-0000-4000-8000-000000000000', yes: true })],
}

/** What needs others, or a file that somebody sent. */
const ELSEWHERE = new Set(['collect', 'team', 'import'])

describe('whatever the clock says, and whatever times the logs hold, there is an answer', () => {
  for (const op of Object.values(ops) as readonly Op[]) {
    if (ELSEWHERE.has(op.name)) continue
    test(op.name, { timeout: 120_000 }, async () => {
      const wrong: string[] = []
      for (const now of op.name === 'export' ? CLOCKS.slice(0, 2) : CLOCKS) {
        for (const input of INPUTS[op.name] ?? [() => ({})]) {
          const asked = input()
          const trouble = await troubleOf(op, contextOf(now), asked)
          if (trouble) wrong.push(`${op.name} ${JSON.stringify(asked)} at ${now}: ${trouble}`)
        }
      }
      expect(wrong.slice(0, 12).join('\n')).toBe('')
    })
  }
})

async function troubleOf(op: Op, context: Context, input: object): Promise<string | undefined> {
  const flaws = [...Value.Errors(op.input, input)]
  if (flaws.length > 0) return `no input of it: ${JSON.stringify(flaws[0])}`
  try {
    const result = await op.run(context, input as Record<string, unknown>)
    const format = await formats[op.name as keyof typeof formats]()
    for (const timeZone of [undefined, 'Pacific/Kiritimati']) {
      const view = { style: createStyle({ colour: false }), width: 80, now: context.now, home: folder.path, timeZone }
      format(result as never, { ...view, tools: 'brief', input: input as Record<string, unknown> })
    }
    return undefined
  } catch (error) {
    // A sentence is an answer.
    return error instanceof Failure ? undefined : `${error instanceof Error ? error.stack : error}`.slice(0, 400)
  } finally {
    context.library.close()
  }
}

describe('times that sort as text keep their order where years have more digits', () => {
  test('logs that are kept for a million years are not about to expire', () => {
    expect(expiresAt(Date.parse('2026-11-15T00:00:00Z'), 365_000_000) > '2026-11-22').toBe(true)
  })

  test('the week of a clock far off is one of its own year', () => {
    const calendar = openCalendar('UTC')
    expect(calendar.week(8.64e15)).toMatch(/^9999-W\d\d$/)
    expect(calendar.week('0099-06-01T00:00:00.000Z')).toBe('0099-W23')
  })

  test('nothing of our time is of the last week by a clock that is far ahead', () => {
    expect(between({ since: '7d' }, new Date(8.64e15))('2026-11-15T00:00:00.000Z')).toBe(false)
  })
})
