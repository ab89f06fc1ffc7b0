import fc from 'fast-check'
import { expect, test } from 'vitest'
import { log } from '../testing/index.ts'
import { digestOf } from './digest.ts'
import { FactsFold } from './facts.ts'
import type { JsonObject } from './json.ts'
import { readLog } from './log.ts'
import { UsageFold } from './usage-fold.ts'

function read(bytes: Uint8Array) {
  const fold = new FactsFold('log')
  const { records, totals } = readLog(bytes, 'log')
  for (const record of records) fold.add(record)
  return { facts: fold.facts(), totals, records }
}

test('says of a log what a list shows', () => {
  const made = log({ version: '2.1.325', attachments: false })
    .user('one')
    .assistant('a')
    .rewind({ to: 1 })
    .user('two')
    .assistant('b')
    .compact()
  const { facts, totals, records } = read(made.content())
  const { whole, facts: light } = digestOf(facts, totals)
  expect(light.asked).toBe('one')
  expect(whole).toMatchObject({ lines: totals.lines, branches: 2, compactions: 1, parentElsewhere: null })
  expect(whole?.counts).toMatchObject({ prompts: 2 })
  const offsetOf = (text: string) =>
    records.find(({ raw }) => JSON.stringify(raw.message ?? null).includes(`"${text}"`))?.place.offset
  expect(whole?.spending.abandoned).toEqual(expect.arrayContaining([offsetOf('one'), offsetOf('a')]))
  for (const kept of ['two', 'b']) expect(whole?.spending.abandoned).not.toContain(offsetOf(kept))
  expect(light.nodes).toHaveLength(0)
  expect(digestOf(facts, undefined).whole).toBeNull()
})

/** Rows of few responses, streamed, copied, flushed too early, with and without request ids. */
const answers = fc.array(
  fc.record({
    id: fc.constantFrom('m1', 'm2', 'm3'),
    request: fc.constantFrom('r1', 'r2', undefined),
    output: fc.nat(12),
    minute: fc.nat(3),
    stop: fc.boolean(),
    fork: fc.boolean(),
  }),
  { maxLength: 30 },
)

test('the rows that decide give the same responses as all rows', () => {
  fc.assert(
    fc.property(answers, (rows) => {
      const lines = rows.map(({ id, request, output, minute, stop, fork }, i): JsonObject => {
        const message = {
          id,
          model: 'claude-x',
          stop_reason: stop ? 'end_turn' : null,
          usage: { output_tokens: output },
        }
        return {
          type: 'assistant',
          uuid: `u${i}`,
          parentUuid: i === 0 ? null : `u${i - 1}`,
          timestamp: `2026-01-01T00:0${minute}:00.000Z`,
          message,
          ...(request !== undefined && { requestId: request }),
          ...(fork && { forkedFrom: { sessionId: 's', messageUuid: 'u' } }),
        }
      })
      const { facts, totals } = read(
        new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
      )
      const all = new UsageFold()
      const few = new UsageFold()
      const table = digestOf(facts, totals).whole?.spending.rows ?? expect.fail()
      all.addRows({ table }, undefined)
      few.addRows({ table, rows: [...all.decisive()].map(({ row }) => row) }, undefined)
      const decided = (fold: UsageFold) => fold.responses().map(({ kept, first }) => ({ kept, first }))
      expect(decided(few)).toEqual(decided(all))
    }),
  )
})
