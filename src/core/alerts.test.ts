import { expect, test } from 'vitest'
import { type AlertRules, alertsBetween, NO_ALERTS, type Standing } from './alerts.ts'

const ALL: AlertRules = { waits: true, ended: true, failed: true, costUsd: 5 }
const at = (state: string | null, costUsd: number | null = 0): readonly Standing[] => [
  { session: 'a', title: 'A', state, costUsd },
]
const kinds = (before: readonly Standing[], now: readonly Standing[], rules = ALL) =>
  alertsBetween(before, now, rules).map(({ kind }) => kind)

test('a session that stops working waits for the person', () => {
  expect(kinds(at('busy'), at('idle'))).toEqual(['waits'])
  expect(kinds(at('idle'), at('idle'))).toEqual([])
  expect(kinds(at('idle'), at('busy'))).toEqual([])
})

test('one that goes away while it waits has ended, and while it works has failed', () => {
  expect(kinds(at('idle'), at(null))).toEqual(['ended'])
  expect(kinds(at('busy'), at(null))).toEqual(['failed'])
  expect(kinds(at('busy'), at(null), { ...ALL, failed: false })).toEqual(['ended'])
})

test('a cost is told once, when it passes the limit', () => {
  expect(kinds(at('busy', 4.9), at('busy', 5.1))).toEqual(['cost'])
  expect(kinds(at('busy', 5.1), at('busy', 6))).toEqual([])
  expect(kinds(at('busy', 4.9), at('busy', 5))).toEqual([])
  expect(kinds(at('busy', null), at('idle', 9))).toEqual(['waits', 'cost'])
})

test('what nobody asked for is not told, nor what was so at the first look', () => {
  expect(kinds(at('busy', 1), at(null, 9), NO_ALERTS)).toEqual([])
  expect(kinds([], at('idle', 9))).toEqual([])
})
