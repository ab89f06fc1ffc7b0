import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

const CLEAR = '\r\u001b[K'

function setup(options: { isTty?: boolean; total?: number; columns?: number } = {}) {
  const { isTty = true, total, columns = 80 } = options
  const written: string[] = []
  const clock = { ms: 0 }
  const stream = { columns, write: (text: string) => written.push(text) }
  const sized = total === undefined ? {} : { total }
  const progress = createProgress(stream, { isTty, label: 'Reading', now: () => clock.ms, ...sized })
  const at = (ms: number, doneBytes: number) => {
    clock.ms = ms
    progress.update(doneBytes)
  }
  return { at, progress, written }
}

test('draws nothing in the first half second', () => {
  const { at, progress, written } = setup()
  at(100, 10)
  at(499, 20)
  progress.finish()
  expect(written).toEqual([])
})

test('tells how much is done, how fast, and how long it will take', () => {
  const { at, written } = setup({ total: 1_200_000_000 })
  at(2000, 120_000_000)
  expect(written).toEqual([`${CLEAR}Reading · 120 MB of 1.2 GB · 60 MB/s · 18 s left`])
})

test('tells what it knows when the whole is not known', () => {
  const { at, written } = setup()
  at(1000, 0)
  at(2000, 4000)
  expect(written).toEqual([`${CLEAR}Reading · 0 B`, `${CLEAR}Reading · 4 kB · 2 kB/s`])
})

test('draws at most ten times a second, in one line, and clears it at the end', () => {
  const { at, progress, written } = setup({ columns: 12 })
  at(600, 1)
  at(650, 2)
  at(700, 3)
  progress.finish()
  progress.finish()
  at(5000, 4)
  expect(written).toEqual([`${CLEAR}Reading · …`, `${CLEAR}Reading · …`, CLEAR])
})

test('is silent when nobody looks on', () => {
  const { at, progress, written } = setup({ isTty: false })
  at(5000, 1)
  progress.finish()
  expect(written).toEqual([])
})
