import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Log, log } from '../../testing/index.ts'
import type { JsonObject } from '../json.ts'
import { CheckFold } from '../log/check-log.ts'
import { readLog } from '../log/log.ts'
import type { LogRecord } from '../log/record.ts'
import { type CountedResponse, sumUsage, type UsageRow, usageRowOf } from './usage.ts'
import { UsageFold } from './usage-fold.ts'

const EARLY = '2026-03-02T09:00:00.000Z'
const LATE = '2026-03-02T10:00:00.000Z'

interface Row {
  readonly id?: string
  readonly request?: string | null
  readonly out?: number
  readonly at?: string
  readonly file?: string
  readonly offset?: number
  readonly fork?: boolean
  readonly model?: string
  readonly stop?: string | null
  readonly usage?: JsonObject | null
}

function record({
  id = 'm1',
  request = 'r1',
  out = 10,
  at = EARLY,
  file = '/a',
  offset = 0,
  ...more
}: Row = {}): LogRecord {
  const { model = 'claude-opus-5-5', stop = 'end_turn', usage = { input_tokens: 1, output_tokens: out } } = more
  const message = { id, model, stop_reason: stop, ...(usage && { usage }) }
  const raw = {
    type: 'assistant',
    timestamp: at,
    message,
    ...(request !== null && { requestId: request }),
    ...(more.fork && { forkedFrom: { sessionId: 's', messageUuid: 'u' } }),
  }
  return { kind: 'assistant', type: 'assistant', raw, place: { file, line: 1, offset, length: 10 } }
}

const rowOf = (row: Row) => usageRowOf(record(row)) as UsageRow
function fold(rows: readonly Row[]): CountedResponse[] {
  const usage = new UsageFold()
  for (const row of rows) usage.add(rowOf(row))
  return usage.responses()
}

const usedBy = (responses: readonly CountedResponse[]) => sumUsage(responses.map(({ kept }) => kept))

describe('one response, counted once', () => {
  test('rows of one message are one response', () => {
    expect(fold([{ offset: 0 }, { offset: 10 }, { offset: 20, file: '/b' }])).toMatchObject([
      { messageId: 'm1', requestId: 'r1', rows: 3, files: 2 },
    ])
  })

  test('the row with the most output counts, the earliest one is where it belongs', () => {
    const [response] = fold([
      { at: LATE, out: 500, offset: 2 },
      { at: EARLY, out: 3 },
    ])
    expect(response).toMatchObject({
      kept: { outputTokens: 500, timestamp: LATE },
      first: { outputTokens: 3, timestamp: EARLY },
    })
  })

  test('of rows with equal output the first in the log counts', () => {
    expect(
      fold([
        { at: EARLY, offset: 9 },
        { at: LATE, offset: 2 },
      ])[0]?.kept.place.offset,
    ).toBe(2)
  })

  test('two request ids under one message id are two responses', () => {
    expect(fold([{ request: 'r1' }, { request: 'r2', offset: 1, at: LATE }]).map((r) => r.requestId)).toEqual([
      'r1',
      'r2',
    ])
  })

  test('a copy without a request id joins the response it was copied from', () => {
    const rows = [{ request: null, at: LATE, file: '/copy' }, { request: 'r1' }]
    expect(fold(rows)).toMatchObject([{ requestId: 'r1', rows: 2, files: 2, first: { place: { file: '/a' } } }])
  })

  test('a copy without a request id joins the earliest of two', () => {
    const rows = [
      { request: 'r2', at: LATE, offset: 5 },
      { request: null, at: LATE, file: '/copy' },
      { request: 'r1', offset: 1 },
    ]
    expect(fold(rows)).toMatchObject([
      { requestId: 'r1', rows: 2 },
      { requestId: 'r2', rows: 1 },
    ])
  })

  test('rows without any request id are one response', () => {
    expect(fold([{ request: null }, { request: null, offset: 1 }])).toMatchObject([{ requestId: null, rows: 2 }])
  })

  test.each([
    ['a copy with a later time', { at: LATE, file: '/0' }],
    ['a copy that says so', { fork: true, file: '/0' }],
    ['a copy without a mark, by path', { file: '/z' }],
    ['a copy without a time', { at: '', file: '/0' }],
    ['the same file, further on', { offset: 99 }],
  ])('%s does not take the response from its original', (_, copy) => {
    const rows = [{ ...copy }, { file: '/a', offset: 1 }]
    for (const order of [rows, rows.toReversed()])
      expect(fold(order)[0]?.first.place).toMatchObject({ file: '/a', offset: 1 })
  })

  test('the order of rows does not matter', () => {
    const row = fc.record({
      id: fc.constantFrom('m1', 'm2', 'm3', '__proto__'),
      request: fc.constantFrom('r1', 'r2', '', null),
      out: fc.integer({ min: 0, max: 5 }),
      at: fc.constantFrom(EARLY, LATE, ''),
      file: fc.constantFrom('/a', '/b'),
      fork: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 20 }).chain((rows) => {
          const placed = rows.map((r, offset) => ({ ...r, offset }))
          return fc.tuple(fc.constant(placed), fc.shuffledSubarray(placed, { minLength: placed.length }))
        }),
        ([rows, shuffled]) => {
          expect(fold(shuffled)).toEqual(fold(rows))
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('reading a file twice changes no sum', () => {
    const rows = [{ out: 3 }, { out: 8, offset: 1 }, { id: 'm2', out: 5, offset: 2 }]
    const copies = rows.map((row) => ({ ...row, file: '/copy', at: LATE, request: null }))
    expect(usedBy(fold([...rows, ...copies]))).toEqual(usedBy(fold(rows)))
    expect(usedBy(fold(rows))).toMatchObject({ responses: 2, outputTokens: 13 })
  })
})

test.each<[string, Row]>([
  ['an error row', { model: '<synthetic>' }],
  ['a row without a message id', { id: '' }],
  ['a row without a model', { model: '' }],
  ['a row without usage', { usage: null }],
])('%s bills nothing', (_, row) => expect(usageRowOf(record(row))).toBeUndefined())

test('a user row bills nothing', () => {
  expect(usageRowOf({ ...record(), kind: 'user', type: 'user' })).toBeUndefined()
})

test.each<[string, JsonObject, number, number]>([
  [
    'both kinds',
    {
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
    },
    60,
    40,
  ],
  ['no kinds, as old clients wrote', { cache_creation_input_tokens: 100 }, 100, 0],
  [
    'more for an hour than in all',
    { cache_creation_input_tokens: 100, cache_creation: { ephemeral_1h_input_tokens: 150 } },
    0,
    100,
  ],
  [
    'kinds that do not add up: the sum decides',
    {
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 40 },
    },
    60,
    40,
  ],
  ['kinds without a sum', { cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 40 } }, 10, 40],
  ['nothing', {}, 0, 0],
  ['null', { cache_creation_input_tokens: null, cache_creation: null }, 0, 0],
])('cache writes by kind: %s', (_, usage, five, hour) => {
  expect(rowOf({ usage })).toMatchObject({ cacheWrite5mTokens: five, cacheWrite1hTokens: hour })
})

test('reads all that prices depend on', () => {
  const usage = {
    input_tokens: 1,
    output_tokens: 2,
    cache_read_input_tokens: 3,
    inference_geo: 'us',
    speed: 'fast',
    server_tool_use: { web_search_requests: 4 },
  }
  expect(rowOf({ usage })).toMatchObject({
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 3,
    webSearches: 4,
    geo: 'us',
    speed: 'fast',
  })
})

describe('placeholders', () => {
  test.each([
    [3, null, true],
    [8, null, true],
    [9, null, false],
    [3, 'end_turn', false],
  ])('%i tokens with stop reason %s', (out, stop, expected) =>
    expect(rowOf({ out, stop }).isPlaceholder).toBe(expected),
  )

  test('a response is one only while no row has the true count', () => {
    expect(
      fold([
        { out: 3, stop: null },
        { out: 3, stop: null, offset: 1 },
      ])[0]?.kept.isPlaceholder,
    ).toBe(true)
    expect(
      fold([
        { out: 3, stop: null },
        { out: 40, offset: 1 },
      ])[0]?.kept.isPlaceholder,
    ).toBe(false)
  })

  test('a short answer whose last row has a stop reason is none', () => {
    expect(
      fold([
        { out: 3, stop: null },
        { out: 3, at: LATE, offset: 1 },
      ])[0]?.kept.isPlaceholder,
    ).toBe(false)
  })
})

test('two requests under one message id are told', () => {
  const check = new CheckFold('/a')
  for (const request of ['r1', 'r2']) check.record(record({ request }), new Uint8Array(0))
  expect(check.result().diagnostics.map((d) => d.code)).toContain('TWO_REQUESTS')
})

describe.each(['1.0.0', '1.0.65', '1.0.128', '2.0.37', '2.1.4', '2.1.45', '2.1.112', '2.1.325'])('%s', (version) => {
  const original = () =>
    log({ version, attachments: false })
      .user('one')
      .assistant('a1', {
        thinking: 'hm',
        usage: { inputTokens: 10, outputTokens: 200, cacheReadTokens: 7, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 },
        stopReason: 'end_turn',
      })
      .user('two')
      .assistant('a2', {
        usage: { inputTokens: 5, outputTokens: 30, cacheReadTokens: 0, cacheWrite5mTokens: 9, cacheWrite1hTokens: 0 },
        stopReason: 'end_turn',
      })
  const ofFiles = (...made: readonly Log[]) => {
    const usage = new UsageFold()
    for (const one of made) {
      for (const found of readLog(one.content(), one.sessionId).records) {
        const row = usageRowOf(found)
        if (row) usage.add(row)
      }
    }
    return usage.responses()
  }
  const expected = {
    responses: 2,
    inputTokens: 15,
    outputTokens: 230,
    cacheReadTokens: 7,
    cacheWrite5mTokens: 9,
    cacheWrite1hTokens: 0,
    webSearches: 0,
  }

  test('streamed rows count once', () => expect(usedBy(ofFiles(original()))).toEqual(expected))

  test.each<[string, (made: Log) => Log]>([
    ['resumed', (made) => made.resumed({ copied: true })],
    ['forked', (made) => made.forked()],
    ['branched', (made) => made.branched()],
  ])('a %s copy counts nothing again', (_, copy) => {
    const made = original()
    const second = copy(made)
    for (const order of [
      [made, second],
      [second, made],
    ])
      expect(usedBy(ofFiles(...order))).toEqual(expected)
  })

  // Later clients copy rows with their times and without a mark only by `--fork-session`: no row tells which came first.
  const copies: [string, (made: Log) => Log][] = [['branched', (made) => made.branched({ sessionId: '0' })]]
  if (['1.0.0', '1.0.65'].includes(version)) copies.push(['resumed', (made) => made.resumed({ sessionId: '0' })])
  test.each(copies)('a %s copy leaves its responses with the original', (_, copy) => {
    const made = original()
    expect(ofFiles(copy(made), made).map((r) => r.first.place.file)).toEqual([made.sessionId, made.sessionId])
  })
})
