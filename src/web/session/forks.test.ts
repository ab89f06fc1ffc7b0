import { expect, test } from 'vitest'
import { abandonedFrom, forksOf } from './forks.ts'
import type { Branch, Outline } from './types.ts'

const turn = (number: number, row: number): Outline['turns'][number] => ({
  number,
  row,
  rows: 4,
  prompt: { kind: 'prompt', text: `prompt ${number}`, uuid: `u${number}` },
  startedAt: null,
  durationMs: null,
  costUsd: null,
  toolCalls: 0,
  errors: 0,
})
const first: Branch = { leaf: 'a', active: false, from: null, after: null, prompts: 2, title: 'blue' }
const second: Branch = { leaf: 'b', active: true, from: 'u1', after: 1, prompts: 2, title: 'red' }
const turns = [turn(1, 0), turn(2, 4)]

test('on the branch that went on, the abandoned one parts where ours did', () => {
  const outline = { branch: 'b', branches: [first, second], turns, total: 8 }
  expect([...forksOf(outline)]).toEqual([[4, [first]]])
  expect(abandonedFrom(outline)).toBeUndefined()
})

test('on the abandoned branch, what was taken back is told from the parting on', () => {
  const outline = { branch: 'a', branches: [first, second], turns, total: 8 }
  expect([...forksOf(outline)]).toEqual([[4, [second]]])
  expect(abandonedFrom(outline)).toBe(4)
})

test('a branch that parted after the last turn stands at the end', () => {
  const outline = { branch: 'a', branches: [first, { ...second, after: 2 }], turns, total: 8 }
  expect([...forksOf(outline).keys()]).toEqual([8])
})

test('one branch has no forks', () => {
  const outline = { branch: 'b', branches: [second], turns, total: 8 }
  expect(forksOf(outline).size).toBe(0)
})
