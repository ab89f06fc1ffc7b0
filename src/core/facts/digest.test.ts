import { expect, test } from 'vitest'
import { log } from '../../testing/index.ts'
import { readLog } from '../log/log.ts'
import { digestOf } from './digest.ts'
import { FactsFold } from './facts.ts'

test('says of a log what a list shows', () => {
  const made = log({ version: '2.1.325', attachments: false })
    .user('one')
    .assistant('a')
    .rewind({ to: 1 })
    .user('two')
    .assistant('b')
    .compact()
  const fold = new FactsFold()
  const { records, totals } = readLog(made.content(), 'log')
  for (const record of records) fold.add(record)
  const digest = digestOf(fold.facts(), totals.lines)
  expect(digest).toMatchObject({ lines: totals.lines, branches: 2, compactions: 1, parentElsewhere: null })
  expect(digest.counts).toMatchObject({ prompts: 2 })
  const offsetOf = (text: string) =>
    records.find(({ raw }) => JSON.stringify(raw.message ?? null).includes(`"${text}"`))?.place.offset
  expect(digest.abandoned).toEqual(expect.arrayContaining([offsetOf('one'), offsetOf('a')]))
  for (const kept of ['two', 'b']) expect(digest.abandoned).not.toContain(offsetOf(kept))
})
