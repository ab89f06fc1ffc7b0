import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Sink } from '../src/collector/sink.ts'
import { otlpSink } from '../src/collector/sinks/otlp.ts'
import { answer, batch, document, machine, marksOf, row } from './collector/made-batches.ts'

type Json = Record<string, unknown>

/**
 * The messages of the protocol (opentelemetry-proto 1.x, logs, metrics and common) as far as they can be sent here: each field by its
 * name in JSON, and how the JSON mapping writes it. `*` is a list. What is not listed is no field.
 */
const PROTOCOL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ExportLogsServiceRequest: { resourceLogs: '*ResourceLogs' },
  ResourceLogs: { resource: 'Resource', scopeLogs: '*ScopeLogs', schemaUrl: 'string' },
  ScopeLogs: { scope: 'InstrumentationScope', logRecords: '*LogRecord', schemaUrl: 'string' },
  LogRecord: {
    timeUnixNano: 'fixed64',
    observedTimeUnixNano: 'fixed64',
    severityNumber: 'SeverityNumber',
    severityText: 'string',
    body: 'AnyValue',
    attributes: '*KeyValue',
    droppedAttributesCount: 'uint32',
    flags: 'fixed32',
    traceId: 'hex16',
    spanId: 'hex8',
    eventName: 'string',
  },
  ExportMetricsServiceRequest: { resourceMetrics: '*ResourceMetrics' },
  ResourceMetrics: { resource: 'Resource', scopeMetrics: '*ScopeMetrics', schemaUrl: 'string' },
  ScopeMetrics: { scope: 'InstrumentationScope', metrics: '*Metric', schemaUrl: 'string' },
  Metric: { name: 'string', description: 'string', unit: 'string', histogram: 'Histogram', metadata: '*KeyValue' },
  Histogram: { dataPoints: '*HistogramDataPoint', aggregationTemporality: 'AggregationTemporality' },
  HistogramDataPoint: {
    attributes: '*KeyValue',
    startTimeUnixNano: 'fixed64',
    timeUnixNano: 'fixed64',
    count: 'fixed64',
    sum: 'double',
    bucketCounts: '*fixed64',
    explicitBounds: '*double',
    flags: 'uint32',
    min: 'double',
    max: 'double',
  },
  Resource: { attributes: '*KeyValue', droppedAttributesCount: 'uint32' },
  InstrumentationScope: { name: 'string', version: 'string', attributes: '*KeyValue' },
  KeyValue: { key: 'string', value: 'AnyValue' },
  ArrayValue: { values: '*AnyValue' },
}
const ANY: Readonly<Record<string, string>> = {
  stringValue: 'string',
  boolValue: 'bool',
  intValue: 'int64',
  doubleValue: 'double',
  arrayValue: 'ArrayValue',
}
const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  double: (value) => typeof value === 'number' && Number.isFinite(value),
  uint32: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32,
  fixed32: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32,
  // 64 bits are texts in JSON.
  fixed64: (value) => typeof value === 'string' && /^\d{1,20}$/.test(value) && BigInt(value) < 2n ** 64n,
  int64: (value) => typeof value === 'string' && /^-?\d{1,19}$/.test(value),
  hex16: (value) => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value),
  hex8: (value) => typeof value === 'string' && /^[0-9a-f]{16}$/.test(value),
  SeverityNumber: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 24,
  AggregationTemporality: (value) => value === 1 || value === 2,
}

/** What of a value is not as the protocol has it. */
function wrong(type: string, value: unknown, at: string): string[] {
  if (type.startsWith('*')) {
    if (!Array.isArray(value)) return [`${at} is no list`]
    return value.flatMap((one, number) => wrong(type.slice(1), one, `${at}[${number}]`))
  }
  const scalar = SCALARS[type]
  if (scalar) return scalar(value) ? [] : [`${at} is no ${type}: ${JSON.stringify(value)}`]
  if (typeof value !== 'object' || value === null) return [`${at} is no ${type}`]
  const fields = type === 'AnyValue' ? ANY : (PROTOCOL[type] ?? {})
  const names = Object.keys(value)
  const many = type === 'AnyValue' && names.length !== 1 ? [`${at} has ${names.length} values`] : []
  return [
    ...many,
    ...names.flatMap((name) => {
      const kind = fields[name]
      return kind === undefined
        ? [`${at}.${name} is no field of ${type}`]
        : wrong(kind, (value as Json)[name], `${at}.${name}`)
    }),
  ]
}

/** Keys are there once, and the buckets of a histogram add up. */
function unlawful(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one, number) => unlawful(one, `${at}[${number}]`))
  if (typeof value !== 'object' || value === null) return []
  const { attributes, bucketCounts, explicitBounds, count, ...rest } = value as Json & {
    attributes?: { key: string }[]
  }
  const keys = attributes?.map(({ key }) => key) ?? []
  const found = new Set(keys).size === keys.length ? [] : [`${at} has a key twice`]
  if (Array.isArray(bucketCounts) && Array.isArray(explicitBounds)) {
    if (bucketCounts.length !== explicitBounds.length + 1) found.push(`${at} has too few buckets`)
    const sum = bucketCounts.reduce((total: number, one) => total + Number(one), 0)
    if (sum !== Number(count)) found.push(`${at}: buckets do not add up`)
    if (explicitBounds.some((bound, number) => number > 0 && bound <= explicitBounds[number - 1])) found.push('bounds')
  }
  return [...found, ...Object.entries(rest).flatMap(([name, one]) => unlawful(one, `${at}.${name}`))]
}

const folder = mkdtempSync(join(tmpdir(), 'annals-otlp-'))
const asked: { readonly path: string; readonly headers: Json; readonly value: Json }[] = []
let answers: { status: number; body: string; headers?: Record<string, string> }[] = []
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const value = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString('utf8'))
  asked.push({ path: request.url ?? '', headers: request.headers, value })
  const { status, body, headers = {} } = answers.shift() ?? { status: 200, body: '{}' }
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})
afterEach(() => {
  asked.length = 0
  answers = []
})

let places = 0
const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const sinkAt = (stateFolder = join(folder, String(places++))): Sink =>
  otlpSink(`otlp://127.0.0.1:${port}/otel`, { stateFolder, token: 'secret', now: () => NOW })
const logs = () => {
  return asked
    .filter(({ path }) => path.endsWith('/v1/logs'))
    .flatMap(({ value }) => (value as { resourceLogs: { scopeLogs: { logRecords: Json[] }[] }[] }).resourceLogs)
    .flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
}
const valuesOf = (record: Json) =>
  Object.fromEntries(
    (record.attributes as { key: string; value: Json }[]).map(({ key, value }) => [key, Object.values(value)[0]]),
  )

test('logs and metrics are as the protocol has them, with gen_ai names', async () => {
  const sink = sinkAt()
  const rows = [
    row(0),
    answer(1),
    row(2, { timestamp: null, session: null, project: null }),
    answer(3, { isError: false }),
  ]
  expect(await sink.deliver(batch('one', rows, { documents: [document('a.meta.json', '{}')] }))).toMatchObject({
    added: 4,
  })
  expect(asked.map(({ path }) => path)).toEqual(['/otel/v1/logs', '/otel/v1/metrics'])
  const [first, second] = asked.map(({ value }) => value)
  expect(wrong('ExportLogsServiceRequest', first, 'logs')).toEqual([])
  expect(wrong('ExportMetricsServiceRequest', second, 'metrics')).toEqual([])
  expect([...unlawful(first), ...unlawful(second)]).toEqual([])
  expect(asked[0]?.headers).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer secret' })
  const records = logs()
  expect(records.length).toBe(5)
  expect(records[0]).toMatchObject({ timeUnixNano: '1794650400000000000', severityText: 'INFO' })
  expect(valuesOf(records[1] as Json)).toMatchObject({
    'annals.key': `${machine().id} ${answer(1).file} 1 100`,
    'gen_ai.conversation.id': answer(1).session,
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.response.id': 'msg_1',
    'gen_ai.response.model': 'claude-opus-5-5',
    'gen_ai.usage.input_tokens': '5021',
    'gen_ai.usage.output_tokens': '40',
    'gen_ai.usage.cache_read.input_tokens': '5000',
    'gen_ai.usage.cache_creation.input_tokens': '18',
    'gen_ai.tool.name': 'Edit',
  })
  expect(records[2]?.timeUnixNano).toBe('0')
})

test('what the check looks for is found', () => {
  expect(wrong('LogRecord', { timeUnixNano: 5, novel: 1, body: { stringValue: 'a', intValue: '1' } }, 'x').length).toBe(
    3,
  )
  expect(unlawful({ count: '2', bucketCounts: ['1', '0'], explicitBounds: [1] }).length).toBe(1)
})

test('tokens of a response that is written in several rows, or comes again, are counted once', async () => {
  const sink = sinkAt()
  const grown = (number: number, outputTokens: number) => {
    const tokens = { ...(answer(1).tokens as NonNullable<ReturnType<typeof answer>['tokens']>), outputTokens }
    return answer(number, { messageId: 'msg_same', tokens })
  }
  await sink.deliver(batch('one', [grown(1, 5), grown(2, 40)]))
  await sink.deliver(batch('two', [grown(3, 100)]))
  await sink.deliver(batch('three', [grown(4, 100)]))
  const points = asked
    .filter(({ path }) => path.endsWith('metrics'))
    .flatMap(({ value }) => JSON.stringify(value).match(/"stringValue":"(?:input|output)"[\s\S]*?"sum":\d+/g) ?? [])
    .map((text) => [/"stringValue":"(input|output)"/.exec(text)?.[1], Number(/"sum":(\d+)/.exec(text)?.[1])])
  expect(points).toEqual([
    ['input', 5021],
    ['output', 40],
    ['output', 60],
  ])
})

test('at least once: what was not answered goes again with the same keys; what was, does not, also after a restart', async () => {
  const stateFolder = join(folder, 'kept')
  answers = [{ status: 503, body: '', headers: { 'retry-after': '7' } }]
  const rows = [row(0), row(1)]
  const one = batch('one', rows)
  await expect(sinkAt(stateFolder).deliver(one)).rejects.toMatchObject({ passes: true, retryAfterMs: 7000 })
  await sinkAt(stateFolder).deliver(one)
  const keys = logs().map((record) => valuesOf(record)['annals.key'])
  expect(keys.slice(0, 2)).toEqual(keys.slice(2))
  const again = sinkAt(stateFolder)
  expect(await again.marks(machine().id)).toEqual(marksOf(rows))
  expect(await again.deliver(one)).toMatchObject({ added: 0 })
  expect(await again.deliver(batch('two', [row(1), row(2)]))).toMatchObject({ added: 1 })
  expect(logs().length).toBe(5)
})

test('what is refused for good stops it, what is refused in part is said, and a purge says what it cannot do', async () => {
  answers = [{ status: 400, body: '{"code":3,"message":"no logs here"}' }]
  await expect(sinkAt().deliver(batch('one', [row(0)]))).rejects.toMatchObject({
    passes: false,
    message: expect.stringContaining('no logs here'),
  })
  answers = [{ status: 200, body: '{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"one was too old"}}' }]
  const done = await sinkAt().deliver(batch('one', [row(0)], { tombstones: ['0'.repeat(64)] }))
  expect(done.notices).toEqual([
    expect.stringContaining('one was too old'),
    expect.stringContaining('cannot be taken back'),
  ])
})

test('off this machine only encrypted, and no password in the address', () => {
  expect(() => otlpSink('otlp://u:p@example.com', { stateFolder: folder })).toThrow(/password/)
})
