import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolEventFold } from '../../../tests/tool-events.ts'
import type { JsonObject } from '../json.ts'
import type { LogRecord } from '../log/record.ts'
import { readLine } from '../log/record.ts'
import { SAMPLE_SIZE, Sample, type ToolEvent, ToolStatsFold, type ToolStatsOptions } from './tool-stats.ts'

function record(raw: JsonObject): LogRecord {
  const bytes = new TextEncoder().encode(JSON.stringify(raw))
  const [one] = readLine(bytes, { file: '/log.jsonl', line: 1, offset: 0, length: bytes.length }).value
  return one as LogRecord
}

function call(id: string, name: string, second: number, input: JsonObject = {}): LogRecord {
  const message = { id: `m-${id}`, content: [{ type: 'tool_use', id, name, input }] }
  return record({ type: 'assistant', timestamp: timeOf(second), message })
}

function answer(id: string, second: number, content: string, fields: JsonObject = {}, isError = false): LogRecord {
  const message = { content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }] }
  return record({ type: 'user', timestamp: timeOf(second), message, ...fields })
}

function timeOf(second: number): string {
  return new Date(Date.UTC(2026, 10, 14, 9, 0, second)).toISOString()
}

function foldOf(records: readonly LogRecord[], options: Partial<ToolStatsOptions> = {}): ToolStatsFold {
  const fold = new ToolStatsFold({ isWanted: () => true, onCall: () => {}, ...options })
  fold.add(eventsOf(records), 's')
  return fold
}

/** The events of one log. */
function eventsOf(records: readonly LogRecord[]): readonly ToolEvent[] {
  const fold = new ToolEventFold()
  for (const one of records) fold.add(one)
  return fold.events()
}

test('counts calls, errors, times and the bytes of results', () => {
  const fold = foldOf([
    call('t1', 'Bash', 0),
    answer('t1', 2, 'grün'),
    call('t2', 'Bash', 10),
    answer('t2', 14, 'no', {}, true),
    call('t3', 'WebFetch', 20),
    answer('t3', 50, '€', { toolUseResult: { durationMs: 700 } }),
    call('t4', 'Bash', 60),
  ])
  expect(fold.tools()).toEqual([
    { name: 'Bash', calls: 3, errors: 1, errorRate: 1 / 3, medianMs: 3000, p95Ms: 3900, resultBytes: 5 + 2 },
    { name: 'WebFetch', calls: 1, errors: 0, errorRate: 0, medianMs: 700, p95Ms: 700, resultBytes: 3 },
  ])
})

test('a copied call and a copied answer count once', () => {
  const rows = [call('t1', 'Read', 0, { file_path: '/a' }), answer('t1', 1, 'x')]
  const fold = foldOf([...rows, ...rows])
  expect(fold.tools()).toMatchObject([{ calls: 1, resultBytes: 1 }])
  expect(fold.files()).toEqual([{ path: '/a', edits: 0, writes: 0, reads: 1, sessions: 1 }])
})

describe('over several logs', () => {
  const figures = (...logs: readonly (readonly LogRecord[])[]) => {
    const fold = foldOf([])
    for (const [n, records] of logs.entries()) fold.add(eventsOf(records), `log ${n}`)
    return fold.tools()
  }

  test('an answer counts although only a copy of its call precedes it', () => {
    const tools = figures([call('t', 'Read', 0)], [call('t', 'Read', 0), answer('t', 3, 'abc')])
    expect(tools).toMatchObject([{ calls: 1, resultBytes: 3, medianMs: 3000 }])
  })

  test('an answer counts where its call stands in an earlier log alone', () => {
    expect(figures([call('t', 'Read', 0)], [answer('t', 3, 'abc')])).toMatchObject([{ calls: 1, resultBytes: 3 }])
    expect(figures([answer('t', 3, 'abc')], [call('t', 'Read', 0)])).toMatchObject([{ calls: 1, resultBytes: 0 }])
  })

  test('an answer before the call waits for the one after it, unless an earlier log has the call', () => {
    const odd = [answer('t', 1, 'a'), call('t', 'Read', 0), answer('t', 2, 'bb'), answer('t', 3, 'ccc')]
    expect(figures(odd)).toMatchObject([{ calls: 1, resultBytes: 2 }])
    expect(figures([call('t', 'Read', 0)], odd)).toMatchObject([{ calls: 1, resultBytes: 1 }])
  })

  test('it is the same as one log with all their rows', () => {
    const row = fc.record({ id: fc.constantFrom('a', 'b', 'c'), isCall: fc.boolean(), size: fc.nat({ max: 9 }) })
    const rows = fc.array(
      row.map(({ id, isCall, size }) => (isCall ? call(id, id, size) : answer(id, size, 'x'.repeat(size)))),
    )
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 4 }), (logs) => {
        expect(figures(...logs)).toEqual(figures(logs.flat()))
      }),
    )
  })
})

test('only wanted calls count, with their answers, and are told', () => {
  const heard: (number | null)[] = []
  const rows = [call('t1', 'Read', 0), call('t2', 'Read', 5), answer('t1', 6, 'abc'), answer('t2', 6, 'de')]
  const fold = foldOf(rows, {
    isWanted: (at) => at !== null && at >= Date.parse(timeOf(5)),
    onCall: (at) => heard.push(at),
  })
  expect(fold.tools()).toMatchObject([{ calls: 1, resultBytes: 2 }])
  expect(heard).toEqual([Date.parse(timeOf(5))])
})

test('files are those of calls that succeeded, the most changed first', () => {
  const fold = foldOf([])
  const touch = (id: string, name: string, path: string, session: string, isError = false) => {
    fold.add(eventsOf([call(id, name, 0, { file_path: path }), answer(id, 1, 'ok', {}, isError)]), session)
  }
  touch('1', 'Read', '/read', 'a')
  touch('2', 'Edit', '/often', 'a')
  touch('3', 'MultiEdit', '/often', 'b')
  touch('4', 'Write', '/once', 'a')
  touch('5', 'Edit', '/once', 'a', true)
  touch('6', 'Bash', '/never', 'a')
  expect(fold.files()).toEqual([
    { path: '/often', edits: 2, writes: 0, reads: 0, sessions: 2 },
    { path: '/once', edits: 0, writes: 1, reads: 0, sessions: 1 },
    { path: '/read', edits: 0, writes: 0, reads: 1, sessions: 1 },
  ])
})

test('tools and files may have any name', () => {
  const fold = foldOf([
    call('__proto__', '__proto__', 0),
    answer('__proto__', 1, 'x'),
    call('t', 'Read', 0, { file_path: 'constructor' }),
    answer('t', 1, ''),
  ])
  expect(fold.tools().map(({ name }) => name)).toEqual(['Read', '__proto__'])
  expect(fold.files()).toMatchObject([{ path: 'constructor', reads: 1 }])
})

test('counts the bytes of long results whole', () => {
  const long = '🙂'.repeat(50_000)
  expect(foldOf([call('t', 'Read', 0), answer('t', 1, long)]).tools()[0]?.resultBytes).toBe(200_000)
})

describe('a sample', () => {
  const sampleOf = (values: readonly (readonly [string, number])[]) => {
    const sample = new Sample()
    for (const [key, value] of values) sample.add(key, value)
    return sample
  }

  test('of few values knows them all', () => {
    expect(sampleOf([]).quantile(0.5)).toBeNull()
    expect(sampleOf([['a', 7]]).quantile(0.95)).toBe(7)
    const four = sampleOf([
      ['a', 4],
      ['b', 1],
      ['c', 2],
      ['d', 9],
    ])
    expect([0, 0.5, 1].map((part) => four.quantile(part))).toEqual([1, 3, 9])
  })

  test('of many comes near', () => {
    const many = sampleOf(Array.from({ length: 20 * SAMPLE_SIZE }, (_, n) => [`toolu_${n}`, n]))
    const middle = (many.quantile(0.5) ?? 0) / (20 * SAMPLE_SIZE)
    expect(middle).toBeGreaterThan(0.45)
    expect(middle).toBeLessThan(0.55)
  })

  test('does not depend on the order', () => {
    const numbers = fc.uniqueArray(fc.nat(), { minLength: 2 * SAMPLE_SIZE, maxLength: 3 * SAMPLE_SIZE })
    fc.assert(
      fc.property(numbers, (values) => {
        const pairs = values.map((n) => [`id ${n}`, n] as const)
        expect(sampleOf(pairs).quantile(0.5)).toBe(sampleOf(pairs.toReversed()).quantile(0.5))
      }),
      { numRuns: 5 },
    )
  })
})
