import { expect, test } from 'vitest'
import { type StartedAgent, turnOfAgent } from './agent-turn.ts'

/** Began at so many minutes past nine. */
const at = (minutes: number) => new Date(Date.UTC(2026, 2, 2, 9, minutes)).toISOString()
const agent = (id: string, minutes: number, parentAgent: string | null = null): StartedAgent => {
  return { id, parentAgent, startedAt: at(minutes) }
}
/** Two turns of the active branch and an abandoned one; calls are known by the ids of their agents. */
const turns = [{ startedAt: at(10) }, { startedAt: at(20) }, { startedAt: null }]
const turnIn = (family: readonly StartedAgent[], calls: Record<string, number> = {}, owner: string | null = null) =>
  turnOfAgent(family[0] as StartedAgent, family, { owner, turns, ofCall: ({ id }) => calls[id] ?? null })

test('an agent belongs to the turn of its call, whenever it ran', () => {
  expect(turnIn([agent('a', 45)], { a: 0 })).toBe(0)
  expect(turnIn([agent('a', 45)], { a: 2 })).toBe(2)
})

test('an agent that an agent started belongs to the turn of that one', () => {
  expect(turnIn([agent('b', 45, 'a'), agent('a', 5)], { a: 0 })).toBe(0)
})

test('where the call is gone, the turn is meant that ran when the agent began, or the one that it began', () => {
  expect(turnIn([agent('a', 15)])).toBe(0)
  expect(turnIn([agent('a', 20)])).toBe(1)
  expect(turnIn([agent('b', 45, 'a'), agent('a', 15)])).toBe(0)
  expect(turnIn([agent('b', 15, 'gone')])).toBe(0)
})

test('what began before the first turn, or has no time, belongs to the first', () => {
  expect(turnIn([agent('a', 5)])).toBe(0)
  expect(turnIn([{ id: 'a', parentAgent: null, startedAt: null }])).toBe(0)
})

test('to the turns of an agent only those belong that it started, and those that they did', () => {
  expect(turnIn([agent('b', 15, 'a')], {}, 'a')).toBe(0)
  expect(turnIn([agent('c', 45, 'b'), agent('b', 15, 'a')], {}, 'a')).toBe(0)
  expect(turnIn([agent('b', 15)], {}, 'a')).toBeUndefined()
  expect(turnIn([agent('a', 15)], {}, 'a')).toBeUndefined()
})

test('agents that name each other still belong to a turn', () => {
  expect(turnIn([agent('a', 15, 'b'), agent('b', 25, 'a')])).toBeDefined()
})
