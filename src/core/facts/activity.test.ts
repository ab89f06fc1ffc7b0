import { describe, expect, test } from 'vitest'
import { log } from '../../testing/index.ts'
import { readLog } from '../log/log.ts'
import { nodeOf } from '../tree/node.ts'
import { buildTree } from '../tree/tree.ts'
import { countRows } from '../tree/turns.ts'
import { localClock } from '../usage/local-time.ts'
import { ActivityFold, type Asked, AskedFold, askedIn, mainTurns } from './activity.ts'

function treeOf(made: ReturnType<typeof log>) {
  const nodes = readLog(made.content()).records.flatMap((record) => nodeOf(record) ?? [])
  return buildTree(nodes)
}

describe('a clock', () => {
  test('shows the day and hour of its zone', () => {
    const iso = '2026-11-14T23:20:00.000Z'
    expect(localClock('UTC')(iso)).toEqual({ date: '2026-11-14', hour: 23, weekday: 5 })
    expect(localClock('Europe/Berlin')(iso)).toEqual({ date: '2026-11-15', hour: 0, weekday: 6 })
    expect(localClock('America/New_York')(iso)).toEqual({ date: '2026-11-14', hour: 18, weekday: 5 })
  })

  test('knows zones that are off by quarters of an hour', () => {
    const kathmandu = localClock('Asia/Kathmandu')
    expect(kathmandu('2026-11-14T18:14:59.999Z')).toMatchObject({ date: '2026-11-14', hour: 23 })
    expect(kathmandu('2026-11-14T18:15:00.000Z')).toMatchObject({ date: '2026-11-15', hour: 0 })
  })

  test('is set back when summer ends', () => {
    const berlin = localClock('Europe/Berlin')
    expect(berlin('2026-10-25T00:30:00.000Z').hour).toBe(2)
    expect(berlin('2026-10-25T01:30:00.000Z').hour).toBe(2)
    expect(berlin('2026-10-25T02:30:00.000Z').hour).toBe(3)
  })

  test('needs a zone that exists', () => expect(() => localClock('Mars/Base')).toThrow(RangeError))
})

test('people ask with prompts and their own commands, not with built-in ones or a shell', () => {
  const made = log()
    .user('one')
    .assistant('a')
    .command('review', { expansion: 'Review it all.' })
    .assistant('b')
    .command('cost', { output: 'Total: $1' })
    .bash('git status', 'clean')
    .user('two')
    .assistant('c')
    .queued('three')
    .assistant('d')
    .interrupt()
  const tree = treeOf(made)
  const asked = askedIn(tree, mainTurns(tree))
  expect(asked).toHaveLength(4)
  expect(countRows(tree)).toMatchObject({ prompts: 4 })
  expect(new Set(asked.map(({ messageId }) => messageId)).size).toBe(4)
})

describe('what is asked counts once', () => {
  const asked = (changes: Partial<Asked>): Asked => {
    return { uuid: 'u1', messageId: 'm1', at: '2026-11-14T09:00:00.000Z', isFork: false, ...changes }
  }
  const sessionsOf = (...rows: readonly (readonly [Asked, string])[]) => {
    const fold = new AskedFold()
    for (const [row, session] of rows) fold.add(row, session, `/${session}.jsonl`)
    return fold.all().map(({ session }) => session)
  }
  const original = [asked({}), 'z'] as const

  test('by its uuid, and the original stands for its copies, whichever comes first', () => {
    const fork = [asked({ isFork: true }), 'a'] as const
    expect(sessionsOf(original, fork)).toEqual(['z'])
    expect(sessionsOf(fork, original)).toEqual(['z'])
  })

  test('by its response, where a copy has a new uuid and time', () => {
    const copy = [asked({ uuid: 'u2', at: '2026-11-15T09:00:00.000Z' }), 'a'] as const
    expect(sessionsOf(original, copy)).toEqual(['z'])
    expect(sessionsOf(copy, original)).toEqual(['z'])
  })

  test('but twice where one log asks twice before one response, or nothing is known of it', () => {
    expect(sessionsOf(original, [asked({ uuid: 'u2' }), 'z'])).toEqual(['z', 'z'])
    const bare = asked({ uuid: '', messageId: null })
    expect(sessionsOf([bare, 'a'], [bare, 'b'])).toEqual(['a', 'b'])
  })
})

test('days hold what was done on them, hours and weekdays only prompts', () => {
  const fold = new ActivityFold(localClock('UTC'))
  fold.add('responses', '2026-11-15T10:00:00.000Z', 'a')
  fold.add('prompts', '2026-11-14T09:59:00.000Z', 'a')
  fold.add('prompts', '2026-11-14T23:00:00.000Z', 'b')
  fold.add('toolCalls', '2026-11-14T23:00:01.000Z')
  fold.add('prompts', null, 'c')
  const { days, hours, weekdays } = fold.activity()
  expect(days).toEqual([
    { date: '2026-11-14', prompts: 2, responses: 0, toolCalls: 1, sessions: 2 },
    { date: '2026-11-15', prompts: 0, responses: 1, toolCalls: 0, sessions: 1 },
  ])
  expect(hours).toHaveLength(24)
  expect([hours[9], hours[23], hours[10]]).toEqual([1, 1, 0])
  expect(weekdays).toEqual([0, 0, 0, 0, 0, 2, 0])
})
